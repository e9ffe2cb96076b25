/// The name by which people tell a token from others; it has the form of a list's name.
public struct TokenName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public static let rule = ListName.rule

  public let text: String

  /// Nil when the text breaks the rule.
  public init?(_ text: String) {
    guard ListName(text) != nil else { return nil }
    self.text = text
  }

  /// The order of the bytes.
  public static func < (a: TokenName, b: TokenName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  public var description: String { text }
}
