import ListDocuments
import ListModel
import ServiceLifecycle
import SyncService

/// Writes heads as server-sent events, with heartbeats in between.
///
/// - Source: the WHATWG HTML standard, 9.2 Server-sent events.
enum EventWriter {
  /// Returns when the caller is not admitted any more, the server ends, or the task is cancelled; throws
  /// when the reader is gone.
  static func write(
    _ heads: NewestHeads, to body: inout BodyWriter, heartbeat: Duration
  ) async throws {
    try await body.write(beginning)
    var iterator = heads.makeAsyncIterator()
    while true {
      switch await iterator.next(within: heartbeat) {
      case .head(let head): try await body.write(event(head))
      case .nothing: try await body.write(silence)
      case .end: return
      }
    }
  }

  private static func event(_ list: ListSummary) -> [UInt8] {
    let cursor = list.head.cursor?.description ?? ""
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("list", list.name.text)
      writer.member("cursor", cursor)
      writer.member("version", list.head.cursor?.version.number ?? 0)
      writer.member("count", list.head.count)
      writer.member("checksum", list.head.checksum.description)
      writer.member("oldest", list.oldest.number)
    }
    return Array("event: head\nid: \(cursor)\ndata: ".utf8) + writer.bytes + "\n\n".utf8
  }

  /// How soon a browser tries again, in milliseconds.
  private static let beginning = Array("retry: 2000\n\n".utf8)
  /// A comment, so that everything between server and reader sees that the stream is alive.
  private static let silence = Array(": still here\n\n".utf8)
}

extension NewestHeads.Iterator {
  /// What comes within a time; the end is also that of the server.
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
        // What was interrupted is no end.
        if Task.isCancelled { return nil }
        return (head.map { .head($0) } ?? .end, iterator)
      }
      group.addTask {
        do {
          try await Task.sleep(for: time)
          return (.nothing, start)
        } catch {
          return nil
        }
      }
      group.addTask {
        do {
          try await gracefulShutdown()
          return (.end, start)
        } catch {
          return nil
        }
      }
      defer { group.cancelAll() }
      return await group.next()?.flatMap { $0 } ?? (.end, start)
    }
    self = iterator
    return step
  }
}
