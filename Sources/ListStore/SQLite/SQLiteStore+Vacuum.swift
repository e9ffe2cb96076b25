import Foundation
import GRDB

extension SQLiteStore {
  /// Gives the space of what was removed back to the system, by writing the whole file anew.
  ///
  /// Readers go on reading. Where one reads an older state, the file itself shrinks when a later
  /// WAL checkpoint finds that reader gone.
  ///
  /// - Returns: the bytes of the file and its log, before and after, as the system tells them; and
  ///   whether a reader keeps the file from shrinking.
  /// - Throws: `StoreError.busy` when another process is writing; `StoreError.diskFull` where there
  ///   is no room for the second copy. The store is then as it was.
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

/// What giving space back has done.
public struct VacuumOutcome: Equatable, Sendable {
  /// Of the file and its log.
  public let byteCountBefore: Int
  public let byteCountAfter: Int
  /// Whether a reader of an older state keeps the file from shrinking for now.
  public let isHeldByReader: Bool
}
