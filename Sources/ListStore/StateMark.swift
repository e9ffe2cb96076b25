/// Tells one state of a store from another: where two marks are equal, nobody committed anything
/// between the two questions that gave them. Marks of different stores are not to be compared.
public struct StateMark: Equatable, Sendable {
  private let number: Int

  public init(_ number: Int) { self.number = number }
}
