import ListModel
import StoreTestSupport
import SyncService
import Synchronization
import Testing

/// Writers that commit until they are stopped, each time with another message.
final class Writers: Sendable {
  /// What became of their commits.
  struct Tally {
    var kept: [(list: ListName, cursor: Cursor, message: String)] = []
    var refused: [(message: String, error: String)] = []

    /// Each kept version is there, once, and no refused one is.
    func check(_ lists: [ListName], of service: SyncService) async throws {
      var messages: [String: Int] = [:]
      var cursors: [ListName: Set<Cursor>] = [:]
      for list in lists {
        let log = try await service.log(of: list)
        cursors[list] = Set(log.map(\.cursor))
        for record in log { messages[record.note.message ?? "", default: 0] += 1 }
      }
      for (list, cursor, message) in kept {
        #expect(cursors[list]?.contains(cursor) == true, "\(list) lacks \(cursor)")
        #expect(messages[message] == 1, "\(message) exists \(messages[message] ?? 0) times")
      }
      for (message, error) in refused {
        #expect(messages[message] == nil, "\(message) is there, but was refused: \(error)")
      }
    }
  }

  let service: SyncService
  private let state = Mutex((tally: Tally(), commitCount: 0, roundCount: 0))

  init(_ service: SyncService) { self.service = service }

  var tally: Tally { state.withLock { $0.tally } }

  /// Ends the writers that are at work.
  func stop() { state.withLock { $0.roundCount += 1 } }

  func write(to list: ListName) async throws {
    let round = state.withLock { $0.roundCount }
    while true {
      let (number, isStopped) = state.withLock { state in
        state.commitCount += 1
        return (state.commitCount, state.roundCount > round)
      }
      if isStopped { return }
      var request = CommitRequest(list: list, snapshot: try .of("a", "b=\(number)"))
      let message = "commit \(number)"
      request.message = message
      do {
        let cursor = try #require(try await service.commit(request).state.cursor)
        state.withLock { $0.tally.kept.append((list, cursor, message)) }
      } catch {
        state.withLock { $0.tally.refused.append((message, "\(error)")) }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }
}
