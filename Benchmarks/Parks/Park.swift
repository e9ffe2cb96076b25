/// One park of a generated list: which park it is, and how often it was updated.
///
/// Its text follows from these two numbers and the list's seed, so that a million parks cost 16
/// bytes each until their contents are asked for.
public struct Park: Hashable, Sendable {
  public let number: Int
  public var edition: Int

  public init(number: Int, edition: Int = 0) {
    self.number = number
    self.edition = edition
  }

  /// `park-0004711`
  public var id: String {
    let digits = String(number)
    return "park-" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
  }
}
