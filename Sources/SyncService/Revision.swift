import ListModel

/// A way to name a version, as people and clients write it.
public enum Revision: Equatable, Sendable, CustomStringConvertible {
  /// `head`, or `head~2` for the version two before it.
  case head(back: Int)
  /// `7`
  case version(Version)
  /// `7-3f9a1c2b7d40`, with 8 to 32 digits
  case cursor(Cursor)
  /// `2026-11-21` (its last moment, in UTC) or `2026-11-21T11:37:00Z`: the version of the highest
  /// number that is dated then or before. Dates may descend if a clock was wrong.
  case date(Timestamp.Written)
  /// `spring`: the version with this tag.
  case tag(TagName)

  public static let head = Revision.head(back: 0)
  public static let forms =
    "7, head, head~2, 0, a cursor such as 7-3f9a1c2b7d40 (8 digits or more), a date, or a tag"

  /// The version, if it needs no look at the list.
  package var version: Version? {
    switch self {
    case .version(let version): version
    case .cursor(let cursor): cursor.version
    case .head, .date, .tag: nil
    }
  }

  /// Nil when the text is none of these.
  public init?(_ text: String) {
    if text == "head" {
      self = .head
    } else if text.hasPrefix("head~"), let back = Version(text: text.dropFirst(5)) {
      self = .head(back: back.number)
    } else if let version = Version(text: text) {
      self = .version(version)
    } else if let cursor = Cursor(given: text) {
      self = .cursor(cursor)
    } else if let date = Timestamp.read(text, allowsBasicOffset: true) {
      self = .date(date)
    } else if let tag = TagName(text) {
      self = .tag(tag)
    } else {
      return nil
    }
  }

  public var description: String {
    switch self {
    case .head(back: 0): "head"
    case .head(let back): "head~\(back)"
    case .version(let version): version.description
    case .cursor(let cursor): cursor.description
    case .date(let written): written.end.description
    case .tag(let name): name.text
    }
  }

  /// Whether it never names another version: a cursor with all its digits.
  package var isPinned: Bool {
    if case .cursor(let cursor) = self { cursor.isFull } else { false }
  }

  /// The form for messages.
  package var short: String {
    if case .cursor(let cursor) = self { cursor.short } else { description }
  }

  /// Whether it surely names this state, if that is the head.
  package func names(_ cursor: Cursor) -> Bool {
    switch self {
    case .head(back: 0): true
    case .version(let version): version == cursor.version
    case .cursor(let named): named.names(cursor)
    default: false
    }
  }
}
