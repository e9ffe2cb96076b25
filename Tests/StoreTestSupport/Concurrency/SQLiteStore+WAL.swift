import GRDB

@testable import ListStore

extension SQLiteStore {
  /// Runs a WAL checkpoint after every commit that leaves so many pages or more in the log.
  package func runWALCheckpoints(everyPages count: Int) throws {
    try writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(count)")
    }
  }
}
