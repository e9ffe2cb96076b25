import ListModel

/// The newest versions of a list as a feed (Atom, RFC 4287).
struct VersionFeed {
  static let highestCount = 50

  private let list: ListName
  /// Newest first; at least one.
  private let records: [VersionRecord]

  /// Nil at version 0.
  init?(of list: ListName, _ records: [VersionRecord]) {
    guard !records.isEmpty else { return nil }
    (self.list, self.records) = (list, records)
  }

  func encoded() -> [UInt8] {
    let lines =
      [
        #"<?xml version="1.0" encoding="utf-8"?>"#,
        #"<feed xmlns="http://www.w3.org/2005/Atom">"#,
        "  <id>urn:listsync:\(list)</id>",
        "  <title>\(list)</title>",
        "  <updated>\(records[0].note.time)</updated>",
        "  <author><name>\(list)</name></author>",
        #"  <link rel="self" href="feed.xml"/>"#,
        #"  <link rel="alternate" type="text/html" href="index.html"/>"#,
      ] + records.flatMap(entry) + ["</feed>"]
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private func entry(_ record: VersionRecord) -> [String] {
    let cursor = record.state.knownCursor
    let author = record.note.author.map { "    <author><name>\(Self.text($0))</name></author>" }
    let changes = record.changes
    let summary = """
      \(changes.removed) removed, \(changes.moved) moved, \(changes.inserted) inserted, \
      \(changes.updated) updated; \(record.count) items
      """
    let title = record.note.message.map { Self.text($0) } ?? "Version \(record.version)"
    return [
      "  <entry>", "    <id>urn:listsync:\(list):\(cursor)</id>", "    <title>\(title)</title>",
      "    <updated>\(record.note.time)</updated>",
    ] + (author.map { [$0] } ?? []) + [
      #"    <link rel="alternate" type="text/html" href="index.html"/>"#,
      "    <summary>\(summary)</summary>", "  </entry>",
    ]
  }

  /// A text as content of an element. XML 1.0 has no other control characters than three.
  private static func text(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\t", "\n", "\r": result.unicodeScalars.append(scalar)
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
