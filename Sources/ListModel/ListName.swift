/// A name, ordered by its UTF-8 bytes.
public protocol ByteOrderedName: Hashable, Comparable, Sendable, CustomStringConvertible {
  var text: String { get }
}

extension ByteOrderedName {
  public static func < (a: Self, b: Self) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  public var description: String { text }
}

/// The name of a list: 1 to 100 of the characters `A-Z a-z 0-9 . _ -`, the first a letter, a digit
/// or `_`. It needs no quotes in a shell, an address and `NAME@REVISION`.
public struct ListName: ByteOrderedName {
  public static let rule =
    """
    1 to 100 letters (A-Z, a-z), digits, dots, underscores or hyphens, not starting with a dot or \
    hyphen
    """

  static let maximumByteCount = 100

  public let text: String

  /// Nil when the text breaks the rule.
  public init?(_ text: String) {
    guard (1...Self.maximumByteCount).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0.isAlphanumeric || "._-".utf8.contains($0) }),
      !text.hasPrefix("."), !text.hasPrefix("-")
    else { return nil }
    self.text = text
  }
}

extension UInt8 {
  /// Whether the byte is an ASCII letter or digit.
  package var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

/// A name that a person gives to a version: like a list's name, but the first character is a letter
/// or `_`, and the name is not `head`.
///
/// So in `LIST@REVISION` it differs from all other revisions: numbers, cursors and dates begin with
/// a digit, and `head~2` has a character that no tag has. Older versions of this package also set
/// tags that look like a range, such as `a..b`; see ``looksLikeRange``.
public struct TagName: ByteOrderedName {
  public static let rule =
    """
    1 to 100 letters (A-Z, a-z), digits, dots, underscores or hyphens, starting with a letter or \
    underscore; it is not 'head', and has no two dots in a row
    """

  static let maximumByteCount = ListName.maximumByteCount

  public let text: String

  /// Nil when the text breaks the rule, but for two dots in a row; `head` in any case breaks it.
  public init?(_ text: String) {
    guard ListName(text) != nil, let first = text.utf8.first, !(0x30...0x39).contains(first),
      text.lowercased() != "head"
    else { return nil }
    self.text = text
  }

  /// Whether the tag reads as two versions where `5..7` may be written, so that no version should
  /// get it.
  public var looksLikeRange: Bool { text.contains("..") }
}
