import Foundation
import ListModel

/// The newest versions of a list as a feed (Atom, RFC 4287).
struct VersionFeed {
  static let highestCount = 50

  /// A page of the same list, beside the feed.
  struct Page {
    let file: String
    /// The first version that it shows; nil if somebody else has made it.
    let start: Version?
  }

  private let list: ListName
  /// Newest first; at least one.
  private let records: [VersionRecord]
  /// Nil where there is no page.
  private let page: Page?
  private let id: String
  private let updated: Timestamp

  /// Nil at version 0.
  ///
  /// - Parameters:
  ///   - oldest: the oldest cursor of the list, which no list of another publisher has.
  ///   - former: the feed that this one replaces. It has the same id, and is not newer.
  init?(
    of list: ListName, _ records: [VersionRecord], page: Page?, oldest: Cursor,
    replacing former: [UInt8]?
  ) {
    guard !records.isEmpty else { return nil }
    (self.list, self.records, self.page) = (list, records, page)
    let former = String(decoding: former ?? [], as: UTF8.self).prefix(upTo: "<entry>")
    id =
      former.firstMatch(of: #/<id>(urn:listsync:[A-Za-z0-9:._-]+)</id>/#).map { String($0.1) }
      ?? "urn:listsync:\(list):\(oldest)"
    let last = former.firstMatch(of: #/<updated>([^<]+)</updated>/#)
      .flatMap { Timestamp.read(String($0.1))?.start }
    updated = records.map(\.note.time).reduce(last ?? records[0].note.time, max)
  }

  func encoded() -> [UInt8] {
    let lines =
      [
        #"<?xml version="1.0" encoding="utf-8"?>"#,
        #"<feed xmlns="http://www.w3.org/2005/Atom">"#,
        "  <id>\(id)</id>",
        "  <title>\(list)</title>",
        "  <updated>\(updated)</updated>",
        "  <author><name>\(list)</name></author>",
        #"  <link rel="self" href="feed.xml"/>"#,
      ] + (page.map { ["  \(Self.link(to: $0.file))"] } ?? []) + records.flatMap(entry)
      + ["</feed>"]
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private func entry(_ record: VersionRecord) -> [String] {
    let cursor = record.state.knownCursor
    let message = record.note.message ?? ""
    let line = message.split(whereSeparator: \.isNewline).lazy
      .map { $0.trimmingCharacters(in: .whitespaces) }.first { !$0.isEmpty }
    let title = line ?? "Version \(record.version)"
    let changes = record.changes
    let summary = """
      \(changes.removed) removed, \(changes.moved) moved, \(changes.inserted) inserted, \
      \(changes.updated) updated; \(record.count) \(record.count == 1 ? "item" : "items")
      """
    let place = place(of: record.version)
    // An entry has a link or a content.
    let content = line == message || message.isEmpty ? summary : message
    return [
      "  <entry>", "    <id>urn:listsync:\(list):\(cursor)</id>",
      "    <title>\(Self.text(title))</title>", "    <updated>\(record.note.time)</updated>",
    ] + (record.note.author.map { ["    <author><name>\(Self.text($0))</name></author>"] } ?? [])
      + (place.map { ["    \(Self.link(to: $0))"] } ?? [])
      + ["    <summary>\(summary)</summary>", "    <content>\(Self.text(content))</content>"]
      + ["  </entry>"]
  }

  /// The view of the page that shows what a version changed; nil where the page does not have it.
  private func place(of version: Version) -> String? {
    guard let page, let start = page.start, version >= start else { return nil }
    let isFirst = version == start
    let view = isFirst ? "at/\(version)" : "diff/\(version.number - 1)..\(version)"
    return "\(page.file)#/\(list)/\(view)"
  }

  private static func link(to place: String) -> String {
    #"<link rel="alternate" type="text/html" href="\#(place)"/>"#
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

extension String {
  /// The text before the first occurrence of another one; all of it if there is none.
  fileprivate func prefix(upTo other: String) -> Substring {
    firstRange(of: other).map { self[..<$0.lowerBound] } ?? self[...]
  }
}
