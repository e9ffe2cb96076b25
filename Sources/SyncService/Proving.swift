import ListDocuments
import ListModel
import ListStore

extension SyncService {
  /// Proves that a list has an item at a version.
  ///
  /// - Parameters:
  ///   - ids: spellings of the item's id; the first that the version has is meant.
  ///   - target: the list and the version.
  ///   - last: the version whose cursor the proof leads to; nil for the version itself.
  /// - Throws: `ServiceError` of looking up; `.itemAbsent` when the version has
  ///   no such item; `.endsBefore` when the last version is before the other one.
  /// - Complexity: O(n) for n items, a SHA-256 for each.
  public func prove(
    itemAmong ids: [ItemID], of target: ListRevision, until last: Revision? = nil
  ) async throws -> ListProof {
    try await store.read { reader in
      let list = try reader.existingList(target.list)
      let state = try reader.state(of: target.revision, in: list)
      let end = try last.map { try reader.state(of: $0, in: list) } ?? state
      guard end.version >= state.version else {
        throw ServiceError.endsBefore(
          list: list.name, from: state.knownCursor, to: end.knownCursor)
      }
      let snapshot = try reader.checkedSnapshot(at: state, of: list)
      let indexes = ids.lazy.compactMap { id in snapshot.items.firstIndex { $0.id == id } }
      guard let index = indexes.first else {
        throw ServiceError.itemAbsent(ids[0], list: list.name, wasRemoved: false, edit: nil)
      }
      let records = try reader.records(of: state.version...end.version, in: list)
      return ListProof(list.name, itemAt: index, of: snapshot, states: records.map(\.state))
    }
  }
}
