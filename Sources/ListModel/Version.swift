/// A list's counter: 0 is the empty list, and every commit that changes the list adds 1.
public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
  public static let zero = Version(0)
  /// The last version that a list can have: it and the next number fit into the 32 bits of a
  /// store's key.
  public static let highest = Version((1 << 32) - 2)

  public let number: Int

  /// - Precondition: The number is not negative.
  public init(_ number: Int) {
    precondition(number >= 0, "a version is never negative")
    self.number = number
  }

  public var next: Version { Version(number + 1) }

  public static func < (a: Version, b: Version) -> Bool { a.number < b.number }

  public var description: String { String(number) }
}
