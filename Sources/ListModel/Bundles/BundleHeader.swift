/// Several versions of a list, one after the other, on their way from one store to another: what a
/// bundle holds, and what it needs. It is the bundle's first line.
public struct BundleHeader: Equatable, Sendable {
  public let list: ListName
  /// How ids are found in the list's snapshot files; nil where the list does not say.
  public let idRule: String?
  public let start: BundleStart
  /// The state that the last step leads to.
  public let target: BundleState

  public init(list: ListName, idRule: String?, start: BundleStart, target: BundleState) {
    self.list = list
    self.idRule = idRule
    self.start = start
    self.target = target
  }

  /// The state that the first step starts from.
  public var startState: BundleState { start.state }

  /// The number of items before the first step.
  package var itemCount: Int {
    if case .base(let record) = start { record.count } else { 0 }
  }
}
