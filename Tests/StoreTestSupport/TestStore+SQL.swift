import Foundation
import GRDB
import Synchronization

@testable import ListStore
@testable import SQLiteStore

extension TestStore {
  /// Runs SQL on the store, and gives its rows the digests that they would have if they were
  /// written so.
  package func sql(_ sql: String) async throws {
    try await DatabaseQueue(path: path).write { try $0.executeAsWritten(sql) }
  }

  /// Runs SQL on the store as another program would, which knows no digests.
  package func sqlOfAnotherProgram(_ sql: String) async throws {
    try await DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
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
  /// Runs SQL, and gives all rows the digests that they would have if they were written so.
  package func executeAsWritten(_ sql: String) throws {
    try execute(sql: sql)
    for table in LogTable.allCases where try tableExists(table.layout.name) {
      try renewDigests(of: table)
    }
  }

  private func renewDigests(of table: LogTable) throws {
    let layout = table.layout
    let columns = layout.columns.prefix(layout.digestColumn).map { column in
      switch (table, column.name) {
      case (.segments, "list_id"): "segment_id >> 32"
      case (.segments, "first_change"): "segment_id & 4294967295"
      case (.idParts, "list_id"): "part_id >> 32"
      case (.idParts, "last_prefix"): "part_id & 4294967295"
      default: column.name
      }
    }
    if layout.columns.count > layout.coveredColumnCount {
      add(
        function: DatabaseFunction("data_digest", argumentCount: 1, pure: true) { values in
          Data.fromDatabaseValue(values[0])?.withUnsafeBytes { LogTable.digest(ofData: $0) }
        })
      try execute(sql: "UPDATE \(layout.name) SET data_digest = data_digest(data)")
    }
    add(
      function: DatabaseFunction("row_digest", argumentCount: columns.count, pure: true) { values in
        let cells = values.map { value -> LogValue in
          switch value.storage {
          case .null, .double: .null
          case .int64(let number): .integer(number)
          case .string(let text): .bytes(Array(text.utf8))
          case .blob(let bytes): .bytes(Array(bytes))
          }
        }
        return StoredRow(cells).withRow(upTo: cells.count) { table.digest(of: $0) }
      })
    try execute(
      sql: "UPDATE \(layout.name) SET digest = row_digest(\(columns.joined(separator: ", ")))")
  }
}

extension ListReader {
  /// The connection of a transaction of SQLite; nil in another engine.
  package var database: Database? {
    (engine as? SQLiteTransaction)?.db
  }
}

extension TestStore {
  /// The SQL statements that a body runs on the store.
  ///
  /// - Parameter body: runs no two transactions at once, so that one connection reads.
  package func statements(_ body: () async throws -> Void) async throws -> [String] {
    let found = Mutex<[String]>([])
    @Sendable func watch(_ isWatched: Bool, _ db: Database) {
      db.trace(
        options: .statement, isWatched ? { event in found.withLock { $0.append("\(event)") } } : nil
      )
    }
    let readers = try store.readers()
    try await readers.read { watch(true, $0) }
    try await store.writer.writeWithoutTransaction { watch(true, $0) }
    try await body()
    try await readers.read { watch(false, $0) }
    try await store.writer.writeWithoutTransaction { watch(false, $0) }
    return found.withLock { $0.filter { !$0.hasPrefix("--") } }
  }
}
