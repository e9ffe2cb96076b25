import ListModel
import ServiceLifecycle
import SyncService

extension SyncServer {
  /// Returns when a list is at another state than a cursor, the time is over, or the server is to end.
  func wait(for list: ListName, otherThan cursor: Cursor, timeout: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { _ = await board.wait(for: list, otherThan: cursor, timeout: timeout) }
      group.addTask { try? await gracefulShutdown() }
      await group.next()
      group.cancelAll()
    }
  }

  /// Whether the store could be read a moment ago.
  var isReady: Bool { board.lastReadAt != nil && board.failure == nil }
}
