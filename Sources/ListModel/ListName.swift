/// The name of a list: 1 to 100 of the characters `A-Z a-z 0-9 . _ -`, the first a letter, a digit
/// or `_`, so that it stands unquoted in a shell, an address and `NAME@REVISION`.
public struct ListName: Hashable, Sendable, CustomStringConvertible {
  public static let rule =
    """
    1 to 100 letters (A-Z, a-z), digits, dots, underscores or hyphens, not starting with a dot or \
    hyphen
    """

  static let maximumByteCount = 100

  public let text: String

  /// Nil when the text breaks the rule.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.maximumByteCount).contains(bytes.count), bytes.allSatisfy(Self.isAllowed),
      bytes[0] != UInt8(ascii: "."), bytes[0] != UInt8(ascii: "-")
    else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  public var description: String { text }
}
