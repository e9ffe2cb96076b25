import ListDocuments
import ListModel
import ListStore

extension SyncService {
  /// Compares a list's history with cursors that were kept elsewhere.
  ///
  /// - Returns: how many of them are in the history; others are of versions that were pruned.
  /// - Throws: `Divergence`; `ServiceError` of looking up.
  /// - Complexity: O(1) rows read for each cursor.
  @discardableResult
  public func compare(_ kept: [Cursor], withHistoryOf list: ListName) async throws -> Int {
    try await store.read { reader in
      let list = try reader.existingList(list)
      var comparison = HistoryComparison(kept)
      while let version = comparison.nextVersion, version <= list.head {
        let known = max(version, list.oldest)
        try comparison.compare(
          version == .zero ? .zero : try reader.record(of: known, in: list).cursor)
      }
      try comparison.finish()
      return comparison.equalCount
    }
  }
}
