import ListModel
import ListStore

extension SyncService {
  /// How many bytes and rows the store takes, or one list of it.
  ///
  /// - Throws: `ServiceError.noSuchList`.
  /// - Complexity: every page of the store is read.
  public func size(of list: ListName? = nil) async throws -> StoreSize {
    try await store.read { reader in
      try reader.size(of: list.map { try reader.existingList($0) })
    }
  }
}
