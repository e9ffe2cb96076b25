/// Some lists by their names: `parks` for the one of that name, `team-*` for all whose names begin so,
/// `*` for all.
///
/// Names are compared by their bytes, as a store does.
public struct ListPattern: Hashable, Comparable, Sendable, CustomStringConvertible {
  public static let rule = "a list's name, the start of one with a star behind ('team-*'), or '*'"

  /// Every list.
  public static let all = ListPattern(unchecked: "*")

  public let text: String

  private init(unchecked text: String) { self.text = text }

  /// Nil when the text breaks the rule: the star stands at the end, or nowhere.
  public init?(_ text: String) {
    let name = text.hasSuffix("*") ? String(text.dropLast()) : text
    guard text == "*" || ListName(name) != nil else { return nil }
    self.init(unchecked: text)
  }

  /// - Complexity: O(bytes of the pattern).
  public func matches(_ list: ListName) -> Bool {
    let (pattern, name) = (text.utf8, list.text.utf8)
    guard pattern.last == UInt8(ascii: "*") else { return name.elementsEqual(pattern) }
    return name.starts(with: pattern.dropLast())
  }

  /// The order of the bytes.
  public static func < (a: ListPattern, b: ListPattern) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  public var description: String { text }
}
