import Foundation
import GRDB
import ListStore
import Migrations

/// The schemas of stores.
enum Schema {
  /// "LSYN" in the header of the file: which program's database it is.
  static let applicationID = 0x4C53_594E

  /// The newest schema, which this build writes.
  static var newest: Int { Migrations.all.count }
  /// The first schema whose rows have digests.
  static let firstWithDigests = 5
  /// The first schema that can be read without an upgrade; tables that it lacks count as empty.
  static let firstReadAsItIs = 3

  /// The parts of a new store of a schema: the SQL of each, by its type and name.
  static func parts(of schema: Int) throws -> [String: String] {
    try DatabaseQueue().write { db in
      for migration in Migrations.all.prefix(schema) { try db.execute(sql: migration.sql) }
      return try db.schemaParts()
    }
  }
}

extension Database {
  /// The file's schema as recorded; 0 where none is.
  func schema() throws -> Int { try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0 }

  /// The SQL of each table, index and view, by its type and name, without SQLite's internal ones.
  func schemaParts() throws -> [String: String] {
    // An older version that was killed may have left its table of migrations, alone.
    let rows = try Row.fetchAll(
      self,
      sql: """
        SELECT type || ' ' || name, sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name <> 'grdb_migrations'
        """)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// The schema of the store that this database is; 0 for an empty database, as a process leaves it
  /// that is killed while it creates a store. Call it in a transaction.
  ///
  /// - Throws: `StoreError.foreign` and `.newer`.
  func storeSchema(at path: StorePath) throws -> Int {
    let applicationID = try Int.fetchOne(self, sql: "PRAGMA application_id") ?? 0
    let schema = try schema()
    if applicationID == Schema.applicationID {
      guard schema <= Schema.newest else {
        throw StoreError.newer(store: path.name, schema: schema, known: Schema.newest)
      }
      return schema
    }
    guard applicationID == 0, schema == 0 else { throw StoreError.foreign(store: path.name) }
    let parts = try schemaParts()
    if parts.isEmpty { return 0 }
    // A restored dump lacks both numbers, and other programs may have added tables of their own.
    let restored = try (1...Schema.newest).last { schema in
      try Schema.parts(of: schema).allSatisfy { parts[$0.key] == $0.value }
    }
    guard let restored else { throw StoreError.foreign(store: path.name) }
    return restored
  }

  /// Makes the database a store of the newest schema.
  ///
  /// The transaction that changes the database also decides whose it is, so the database of another
  /// program is never changed. All migrations are one transaction: a killed process leaves the old
  /// schema or the new one, and of two processes the second finds the work done.
  ///
  /// - Throws: `StoreError.notFound` if there is no store and none may be created; `.foreign`,
  ///   `.newer`.
  func becomeStore(at path: StorePath, ifAbsent absence: SQLiteStore.Absence) throws {
    // A store that is up to date opens without waiting for a writer.
    var isNewest = false
    try inTransaction(.deferred) {
      isNewest = try storeSchema(at: path) == Schema.newest && schema() == Schema.newest
      return .commit
    }
    if isNewest { return }
    try inTransaction(.immediate) {
      let schema = try storeSchema(at: path)
      if schema == 0, absence == .fail { throw StoreError.notFound(store: path.name) }
      for migration in Migrations.all.dropFirst(schema) { try execute(sql: migration.sql) }
      if schema < Schema.firstWithDigests { try DigestedTable.renewAll(in: self) }
      if schema > 0 { try StoreWriter(db: self, schema: Schema.newest).fillIDsOfAllLists() }
      try execute(
        sql: """
          PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(Schema.newest)
          """)
      return .commit
    }
  }

  /// Gives the file a write-ahead log, if it has none.
  ///
  /// SQLite does not wait for the locks of this change: it already reads when it asks for them, and
  /// two processes would wait for each other for ever.
  ///
  /// - Returns: whether the file has one; its file system may not support it.
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
