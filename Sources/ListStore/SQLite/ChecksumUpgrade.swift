import Foundation
import GRDB

/// Brings a file whose pages have no checksums to those that have: a store of the first two schemas,
/// or one whose making was cut off.
///
/// Nobody else may have the file open meanwhile: a program of before would write pages that have no
/// checksum into a store that asks for them. A process that is killed leaves the store with its old
/// schema, which is sound, or with the new one.
struct ChecksumUpgrade {
  let path: String
  let busyTimeoutSeconds: Double

  /// - Throws: `DatabaseError`; SQLite's `SQLITE_BUSY` while another process has the store open.
  func run() throws {
    let end = Date(timeIntervalSinceNow: busyTimeoutSeconds)
    while true {
      do {
        return try upgrade()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // Another process may have come first, and go on with what it has open.
        guard try StoreFile(path: path).look().lacksChecksums else { return }
        if Date() >= end { throw error }
      }
    }
  }

  /// How long to wait before looking again whether there still is something to do.
  private static let attemptSeconds = 0.1

  private func upgrade() throws {
    var configuration = StoreConnection.configuration(
      busyTimeoutSeconds: min(busyTimeoutSeconds, Self.attemptSeconds))
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    let queue = try DatabaseQueue(
      path: StoreConnection.address(of: path), configuration: configuration)
    let mode = try queue.writeWithoutTransaction { db in
      let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode")
      // By way of the log: pages of before, written back from a rollback journal, would get
      // checksums where they have contents.
      try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
      return mode
    }
    // Another process may have come first, and GRDB ends a program that asks for less than is there.
    let applied = try queue.read(Schema.migrator.appliedMigrations)
    if !applied.contains(Schema.lastWithoutPageChecksums) {
      try Schema.migrator.migrate(queue, upTo: Schema.lastWithoutPageChecksums)
    }
    try queue.writeWithoutTransaction { db in
      guard try !db.hasPages() || db.reservedByteCount < PageChecksum.byteCount else { return }
      db.reserveRoomForChecksums()
      try db.execute(sql: "VACUUM")
    }
    try Schema.migrator.migrate(queue)
    try queue.writeWithoutTransaction { db in
      _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      // A backup stays one file.
      if mode != "wal" { try db.execute(sql: "PRAGMA journal_mode = DELETE") }
    }
    try queue.close()
  }
}
