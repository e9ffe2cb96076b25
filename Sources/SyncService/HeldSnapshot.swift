import ListModel
import ListStore

/// The newest version of a list as text, held so that a commit need not read it: it counts for as
/// long as the list stands at its cursor.
public struct HeldSnapshot: Sendable {
  let cursor: Cursor
  let snapshot: Snapshot
}

extension SyncService {
  /// Reads the newest version of a list ahead of a commit, while its next one is still being read
  /// from elsewhere; nil where there is no list.
  public func holdHead(of list: ListName) async throws -> HeldSnapshot? {
    try await store.read { reader in
      guard let list = try reader.list(list) else { return nil }
      let head = try Head(of: list, in: reader)
      return HeldSnapshot(cursor: head.cursor, snapshot: try reader.snapshot(of: head))
    }
  }
}

extension ListReader {
  /// The head as text.
  func snapshot(of head: Head, heldAs held: HeldSnapshot? = nil) throws -> Snapshot {
    if let held, held.cursor == head.cursor { return held.snapshot }
    return Snapshot(uniqueItems: try items(of: head.order.items()))
  }
}
