import ListModel

/// The validator of an answer: the cursor of what it shows, quoted; with a suffix where the answer is
/// coded, since its bytes are others then.
///
///     "7-3f9a1c2b7d40"   "7-3f9a1c2b7d40+gzip"
struct EntityTag: Equatable, Sendable, CustomStringConvertible {
  static let gzipSuffix = "+gzip"

  let cursor: Cursor
  var isGzip = false

  var description: String { "\"\(cursor)\(isGzip ? Self.gzipSuffix : "")\"" }
}

/// What `If-Match` or `If-None-Match` name.
enum EntityTagCondition: Equatable, Sendable {
  /// `*`
  case any
  /// The tags that are cursors; others match nothing. `isWeak` tells those that a strong comparison
  /// passes over.
  case cursors([Entry])

  struct Entry: Equatable, Sendable {
    let cursor: Cursor
    let isWeak: Bool
  }

  /// Reads a header's value; nil when it is not a list of entity tags.
  ///
  /// - Source: RFC 9110, 8.8.3 and 13.1.
  init?(_ text: String) {
    var rest = text.utf8[...]
    rest.trimBlanks()
    if rest.elementsEqual("*".utf8) {
      self = .any
      return
    }
    var entries: [Entry] = []
    var isFirst = true
    while !rest.isEmpty {
      if !isFirst {
        guard rest.removeFirst() == UInt8(ascii: ",") else { return nil }
        rest.trimBlanks()
      }
      isFirst = false
      guard let (tag, isWeak) = Self.tag(from: &rest) else { return nil }
      if let cursor = Cursor(tag) { entries.append(Entry(cursor: cursor, isWeak: isWeak)) }
      rest.trimBlanks()
    }
    if isFirst { return nil }
    self = .cursors(entries)
  }

  /// The next tag without its quotes and the suffix of a coding.
  private static func tag(
    from rest: inout Substring.UTF8View.SubSequence
  ) -> (String, isWeak: Bool)? {
    let isWeak = rest.starts(with: "W/".utf8)
    if isWeak { rest = rest.dropFirst(2) }
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    rest = rest.dropFirst()
    guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    var tag = String(Substring(rest[..<end]))
    rest = rest[end...].dropFirst()
    if tag.hasSuffix(EntityTag.gzipSuffix) { tag.removeLast(EntityTag.gzipSuffix.utf8.count) }
    return (tag, isWeak)
  }

  /// Whether one of the tags names the cursor, weak or not: what `If-None-Match` asks.
  func matches(_ cursor: Cursor) -> Bool {
    switch self {
    case .any: true
    case .cursors(let entries): entries.contains { $0.cursor == cursor }
    }
  }

  /// The cursors of strong tags: those that `If-Match` can name.
  var strongCursors: [Cursor] {
    switch self {
    case .any: []
    case .cursors(let entries): entries.filter { !$0.isWeak }.map(\.cursor)
    }
  }
}

extension Substring.UTF8View {
  fileprivate mutating func trimBlanks() {
    while let first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { removeFirst() }
    while let last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") { removeLast() }
  }
}
