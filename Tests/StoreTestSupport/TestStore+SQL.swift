import GRDB
import ListStore

@testable import SQLiteStore

extension TestStore {
  /// Runs SQL on the store, and gives its rows the digests that they would have if they were
  /// written so.
  package func sql(_ sql: String) async throws {
    try await DatabaseQueue(path: path).write { try $0.executeAsWritten(sql) }
  }

  /// Copies the write-ahead log into the main file, as the last program does when it closes the
  /// store.
  package func emptyLog() async throws {
    try await DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  package func rows(_ sql: String) async throws -> [[String?]] {
    try await DatabaseQueue(path: path).read { db in
      try Row.fetchAll(db, sql: sql).map { row in
        row.databaseValues.map { $0.isNull ? nil : "\($0.storage.value ?? "")" }
      }
    }
  }

  /// The number of rows of a table, which a condition may follow.
  package func count(_ rows: String) async throws -> Int {
    try await DatabaseQueue(path: path).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM \(rows)") ?? 0
    }
  }

  /// The rows that are read while a body runs.
  package func rowsRead(_ body: () async throws -> Void) async rethrows -> Int {
    let before = store.rowsReadCount
    try await body()
    return store.rowsReadCount - before
  }
}

extension Database {
  /// Runs SQL, and gives the rows of all tables that exist the digests that they would have if they
  /// were written so.
  package func executeAsWritten(_ sql: String) throws {
    try execute(sql: sql)
    DigestedTable.installDigest(in: self)
    for table in DigestedTable.allCases where try tableExists(table.rawValue) {
      let columns = table.columns.joined(separator: ", ")
      try execute(sql: "UPDATE \(table.rawValue) SET digest = row_digest(\(columns))")
    }
  }
}
