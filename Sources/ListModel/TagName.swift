/// A name that a person gives to a version: 1 to 100 of the characters `A-Z a-z 0-9 . _ -`, the
/// first a letter or `_`, and not `head`.
///
/// So it stands in `LIST@REVISION` and can be taken for no other way to name a version: numbers,
/// cursors and dates begin with a digit, and `head~2` holds a character that no tag has.
public struct TagName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public static let rule =
    """
    1 to 100 letters (A-Z, a-z), digits, dots, underscores or hyphens, starting with a letter or \
    underscore, and not 'head'
    """

  static let maximumByteCount = 100

  public let text: String

  /// Nil when the text breaks the rule; `head` breaks it in any case.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, bytes.count <= Self.maximumByteCount, Self.isFirst(first),
      bytes.allSatisfy(Self.isAllowed), text.lowercased() != "head"
    else { return nil }
    self.text = text
  }

  private static func isFirst(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"): true
    default: isFirst(byte)
    }
  }

  /// The order of the bytes.
  public static func < (a: TagName, b: TagName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  public var description: String { text }
}
