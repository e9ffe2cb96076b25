/// The operations allowed on a list.
public enum AccessRight: String, CaseIterable, Sendable {
  case read
  /// To commit to the list, and to read it.
  case write

  public func includes(_ other: AccessRight) -> Bool { self == .write || other == .read }
}

/// A right to some lists.
public struct AccessGrant: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let right: AccessRight
  public let lists: ListPattern

  public init(_ right: AccessRight, _ lists: ListPattern) {
    self.right = right
    self.lists = lists
  }

  public func allows(_ right: AccessRight, to list: ListName) -> Bool {
    self.right.includes(right) && lists.matches(list)
  }

  /// By lists, then `read` before `write`.
  public static func < (a: AccessGrant, b: AccessGrant) -> Bool {
    a.lists == b.lists ? !a.right.includes(b.right) : a.lists < b.lists
  }

  /// `write team-*`.
  public var description: String { "\(right.rawValue) \(lists)" }
}

/// Some lists by name: `parks` for one list, `team-*` for all lists whose names begin with `team-`,
/// `*` for all lists. Names are compared by their bytes, as in a store.
public struct ListPattern: ByteOrderedName {
  public static let rule = "a list's name, the start of one with a star behind ('team-*'), or '*'"

  /// Every list.
  public static let all = ListPattern(unchecked: "*")

  public let text: String

  private init(unchecked text: String) { self.text = text }

  /// Nil when the text breaks the rule.
  public init?(_ text: String) {
    let name = text.hasSuffix("*") ? String(text.dropLast()) : text
    guard text == "*" || ListName(name) != nil else { return nil }
    self.init(unchecked: text)
  }

  /// The beginning of the names; nil for a pattern of one list.
  package var start: String? { text.hasSuffix("*") ? String(text.dropLast()) : nil }

  /// Whether all lists of another pattern are lists of this one.
  package func includes(_ other: ListPattern) -> Bool {
    start.map { (other.start ?? other.text).hasPrefix($0) } ?? (self == other)
  }

  /// - Complexity: O(bytes of the pattern).
  public func matches(_ list: ListName) -> Bool {
    let (pattern, name) = (text.utf8, list.text.utf8)
    guard pattern.last == UInt8(ascii: "*") else { return name.elementsEqual(pattern) }
    return name.starts(with: pattern.dropLast())
  }
}

/// The name of a token for people, in the form of a list's name.
public struct TokenName: ByteOrderedName {
  public static let rule = ListName.rule

  public let text: String

  /// Nil when the text breaks the rule.
  public init?(_ text: String) {
    guard ListName(text) != nil else { return nil }
    self.text = text
  }
}
