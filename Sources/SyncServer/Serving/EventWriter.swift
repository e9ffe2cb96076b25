import ListDocuments
import ListModel
import SyncService

/// Writes heads as server-sent events, with heartbeats in between.
///
/// - Source: the WHATWG HTML standard, 9.2 Server-sent events.
struct EventWriter {
  private var body: BodyWriter

  init(_ body: BodyWriter) { self.body = body }

  /// Returns when the reader is gone or the server ends.
  func run(_ heads: HeadChanges, heartbeat: Duration) async throws {
    var body = body
    // How soon a browser tries again.
    try await body.write(Array("retry: 2000\n\n".utf8))
    for await head in heads { try await body.write(Self.event(head)) }
  }

  private static func event(_ list: ListSummary) -> [UInt8] {
    guard let cursor = list.head.cursor else { return [] }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", list.name.text)
      writer.member("cursor", cursor.description)
      writer.member("version", cursor.version.number)
      writer.member("count", list.head.count)
      writer.member("checksum", list.head.checksum.description)
      writer.member("oldest", list.oldest.number)
    }
    return Array("event: head\nid: \(cursor)\ndata: ".utf8) + writer.bytes + "\n\n".utf8
  }

  private static let heartbeat = Array(": still here\n\n".utf8)
}
