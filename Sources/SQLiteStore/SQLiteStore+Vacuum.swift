import Foundation
import GRDB
import ListStore

extension SQLiteStore {
  /// A reader of an older state keeps the file from shrinking until a later WAL checkpoint finds
  /// that reader gone.
  public func vacuum() async throws -> VacuumOutcome {
    let path = path
    return try await withoutTransaction { db in
      let before = Self.byteCount(path)
      try db.execute(sql: "VACUUM")
      // Only a WAL checkpoint cuts the file. A reader of an older state may last, and is not waited
      // for.
      let isHeld = try db.withoutWaiting {
        // The first column says whether it was kept from all of its work.
        try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0
      }
      return VacuumOutcome(
        byteCountBefore: before, byteCountAfter: Self.byteCount(path), isHeldByReader: isHeld)
    }
  }

  private static func byteCount(_ path: String) -> Int {
    [path, path + "-wal"].reduce(0) { sum, file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      return sum + ((attributes?[.size] as? Int) ?? 0)
    }
  }
}
