import Foundation
import GRDB
import ListStore
import Migrations

/// The schemas of stores that a process knows.
struct Schema: Sendable {
  /// The number that marks a file as a store of this program: "LST2" in the file's header.
  static let applicationID = 0x4C53_5432
  /// "LSYN" and "LST1", the numbers of development versions before the first release.
  static let unreleasedApplicationIDs = [0x4C53_594E, 0x4C53_5431]

  /// The migrations in order: the n-th one leads to schema n.
  let migrations: [Migrations.Migration]

  /// The schema that this process reads and writes.
  var newest: Int { migrations.count }

  /// Returns the SQL of each table, index and view of a new store, by its type and name.
  ///
  /// - Parameter schema: the schema of the store.
  func parts(of schema: Int) throws -> [String: String] {
    try DatabaseQueue().write { db in
      for migration in migrations.prefix(schema) { try db.execute(sql: migration.sql) }
      return try db.schemaParts()
    }
  }
}

/// The schema of a store.
struct StoreSchema {
  let number: Int
  /// Whether the file has this number; a restored dump lacks it.
  let isRecorded: Bool
}

extension Database {
  /// Returns the schema number recorded in the file; 0 if there is none.
  func schema() throws -> Int { try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0 }

  /// Returns the SQL of each table, index and view, by its type and name, without SQLite's internal
  /// ones.
  func schemaParts() throws -> [String: String] {
    let rows = try Row.fetchAll(
      self,
      sql: """
        SELECT type || ' ' || name, sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// Returns the schema of the store in this database; 0 for an empty database. A process that is
  /// killed while it creates a store leaves such a database. Call this in a transaction if it will
  /// be changed.
  ///
  /// - Throws: `StoreError.foreign`, `.newer`, `.unreleased`; `.corrupt` if the recorded number is
  ///   not that of a schema.
  func storeSchema(at path: StorePath, known: Schema) throws -> StoreSchema {
    // One statement: each costs a process that makes one small commit.
    let names = LogTable.allCases.map(\.layout.name) + ["changed_lists"]
    let tables = names.map { "'\($0)'" }.joined(separator: ", ")
    let row = try Row.fetchOne(
      self,
      sql: """
        SELECT (SELECT application_id FROM pragma_application_id),
          (SELECT user_version FROM pragma_user_version),
          (SELECT type || ' ' || name FROM sqlite_schema
            WHERE type = 'trigger' OR type = 'view' AND lower(name) IN (\(tables)))
        """)
    guard let row else { throw StoreError.corrupt(reason: "the file has no header") }
    let (applicationID, schema, program): (Int, Int, String?) = (row[0], row[1], row[2])
    if applicationID == Schema.applicationID {
      guard schema >= 1 else {
        throw StoreError.corrupt(reason: "the file has no schema \(schema)")
      }
      guard schema <= known.newest else {
        throw StoreError.newer(store: path.name, schema: schema, known: known.newest)
      }
      try Self.check(programOfOthers: program)
      return StoreSchema(number: schema, isRecorded: true)
    }
    if Schema.unreleasedApplicationIDs.contains(applicationID) {
      throw StoreError.unreleased(store: path.name)
    }
    guard applicationID == 0, schema == 0 else { throw StoreError.foreign(store: path.name) }
    let parts = try schemaParts()
    if parts.isEmpty { return StoreSchema(number: 0, isRecorded: true) }
    // A restored dump lacks both numbers, and other programs may have added tables of their own.
    let restored = try (1...known.newest).last { schema in
      try known.parts(of: schema).allSatisfy { parts[$0.key] == $0.value }
    }
    guard let restored else { throw StoreError.foreign(store: path.name) }
    try Self.check(programOfOthers: program)
    return StoreSchema(number: restored, isRecorded: false)
  }

  /// Refuses what changes the meaning of a statement: a trigger could drop the rows of a commit,
  /// and a view in place of a table could return any rows, without an end.
  ///
  /// - Throws: `StoreError.corrupt` with the name of the trigger or view.
  private static func check(programOfOthers program: String?) throws(StoreError) {
    guard let program else { return }
    throw .corrupt(
      reason: "the file has the \(program), which can change what is stored or read; drop it")
  }

  /// Makes the database a store of the newest schema.
  ///
  /// The transaction that changes the database also checks which program it belongs to, so the
  /// database of another program is never changed. All migrations are one transaction: a killed
  /// process leaves the old schema or the new one, and of two processes the second finds the work
  /// done.
  ///
  /// - Throws: `StoreError.notFound` if there is no store and none may be created; the errors of
  ///   ``storeSchema(at:known:)``.
  func becomeStore(
    at path: StorePath, ifAbsent absence: SQLiteStore.Absence, known: Schema
  ) throws {
    // A store that is up to date opens without waiting for a writer.
    let found = try storeSchema(at: path, known: known)
    if found.number == known.newest, found.isRecorded { return }
    // Before the first table: unused pages are returned to the system in small portions.
    try execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
    try inTransaction(.immediate) {
      let schema = try storeSchema(at: path, known: known).number
      if schema == 0, absence == .fail { throw StoreError.notFound(store: path.name) }
      for migration in known.migrations.dropFirst(schema) { try execute(sql: migration.sql) }
      try execute(
        sql: """
          PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(known.newest)
          """)
      return .commit
    }
  }

  /// Gives the file a write-ahead log, if it has none.
  ///
  /// SQLite does not wait for the locks of this change: it already holds a read lock when it asks
  /// for them, so two processes would wait for each other forever.
  ///
  /// - Returns: whether the file has a write-ahead log; its file system may not support one.
  func startWriteAheadLog(busyTimeoutSeconds: Double) throws -> Bool {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(busyTimeoutSeconds))
    while true {
      do {
        return try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL") == "wal"
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && clock.now < end {
        usleep(10_000)
      }
    }
  }
}
