import GRDB

extension SQLiteStore {
  /// Gives the space of what was removed back to the system, by writing the whole file anew.
  ///
  /// Readers go on reading; where one still reads an older state, the file itself shrinks when that
  /// one is done.
  ///
  /// - Returns: the bytes that the store's pages take, before and after.
  /// - Throws: `StoreError.busy` when another process is writing; `StoreError.diskFull` where there
  ///   is no room for the second copy. The store is then as it was.
  public func vacuum() async throws -> (byteCountBefore: Int, byteCountAfter: Int) {
    try await withoutTransaction { db in
      let before = try Self.pageByteCount(db)
      try db.execute(sql: "VACUUM")
      // Only a WAL checkpoint cuts the file; it waits for nobody longer than the time-out.
      _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      return (before, try Self.pageByteCount(db))
    }
  }

  private static func pageByteCount(_ db: Database) throws -> Int {
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    return try size * (Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0)
  }
}
