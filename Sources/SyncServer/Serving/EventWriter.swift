import ListDocuments
import ListModel
import ServiceLifecycle
import SyncService

/// Writes heads as server-sent events, with heartbeats between them.
///
/// Only the end of an event has an empty line. Some clients take each empty line for the end of a
/// message, also after a comment, and would give their callers a message without data.
///
/// - Source: the WHATWG HTML standard, 9.2 Server-sent events.
enum EventWriter {
  /// Returns when the caller's token is revoked, the list of the stream is dropped or renamed, the
  /// server ends, or the task is cancelled.
  ///
  /// - Throws: the connection's error when the reader is gone.
  static func write(
    _ heads: HeadStream, to body: inout BodyWriter, heartbeat: Duration
  ) async throws {
    try await body.write(promise(heartbeat))
    var (heads, beginning) = (heads, retry)
    while true {
      switch await heads.next(within: heartbeat) {
      case .head(let head):
        try await body.write(beginning + event(head))
        beginning = []
      case .nothing: try await body.write(silence)
      case .end: return
      }
    }
  }

  private static func event(_ list: ListSummary) -> [UInt8] {
    let cursor = list.head.cursor?.description ?? ""
    let data = JSONWriter.object { writer in
      writer.member("list", list.name.text)
      writer.members(of: list.head)
      writer.member("oldest", list.oldest.number)
    }
    return Array("event: head\nid: \(cursor)\ndata: ".utf8) + data + "\n\n".utf8
  }

  /// A comment with the most seconds between events and heartbeats, so that a client knows when the
  /// stream has died.
  private static func promise(_ heartbeat: Duration) -> [UInt8] {
    Array(": heartbeat \(heartbeat.components.seconds)\n".utf8)
  }

  /// A field of the first event, which tells a browser to reconnect after 2,000 milliseconds.
  private static let retry = Array("retry: 2000\n".utf8)

  /// A comment, which shows clients and proxies that the stream is alive.
  private static let silence = Array(": still here\n".utf8)
}

extension HeadStream {
  /// The event that comes first within a time. The end of the server is an end too.
  enum Step: Sendable {
    case head(ListSummary)
    case nothing
    case end
  }

  mutating func next(within time: Duration) async -> Step {
    let start = self
    let (step, iterator) = await withTaskGroup(of: (Step, Self)?.self) { group in
      group.addTask {
        var iterator = start
        let head = await iterator.next()
        // A cancelled wait is not the end of the heads.
        return Task.isCancelled ? nil : (head.map { .head($0) } ?? .end, iterator)
      }
      group.addTask { (try? await Task.sleep(for: time)).map { (.nothing, start) } }
      group.addTask { (try? await gracefulShutdown()).map { (.end, start) } }
      defer { group.cancelAll() }
      return await group.next()?.flatMap { $0 } ?? (.end, start)
    }
    self = iterator
    return step
  }
}
