import Foundation
import GRDB
import ListStore
import Migrations

/// Whose database a file is, and how it is brought to the newest schema.
enum Schema {
  /// "LSYN" in the header of the file: which program's database it is.
  static let applicationID = 0x4C53_594E

  /// The newest schema, which this build writes.
  static var newest: Int { Migrations.all.count }
  /// The first schema that holds tokens.
  static let firstWithTokens = 4
  /// The first schema whose rows have digests.
  static let firstWithDigests = 5
  /// The first schema that is read as it is: what later ones have more is taken to be empty.
  static let firstReadAsItIs = 3

  /// The parts that a new store of a schema has: the SQL of each, by its type and name.
  static func parts(of schema: Int) throws -> [String: String] {
    try DatabaseQueue().write { db in
      for migration in Migrations.all.prefix(schema) { try db.execute(sql: migration.sql) }
      return try db.schemaParts()
    }
  }

  /// What a database is, as far as a store is concerned.
  enum Finding: Equatable {
    /// Nothing was written to it, or a process was killed while it made a store.
    case empty
    case store(schema: Int)
  }
}

extension Database {
  /// The version of the schema that the file has; 0 before it has any.
  func schema() throws -> Int { try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0 }

  /// The SQL of each table, index and view, by its type and name, but for those that SQLite keeps
  /// for itself.
  func schemaParts() throws -> [String: String] {
    // Older versions made the table of migrations first, and could be killed behind it.
    let rows = try Row.fetchAll(
      self,
      sql: """
        SELECT type || ' ' || name, sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name <> 'grdb_migrations'
        """)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// Looks at the database in the transaction that is open.
  ///
  /// - Throws: `StoreError.foreign` and `.newer`.
  func finding(at path: StorePath) throws -> Schema.Finding {
    let applicationID = try Int.fetchOne(self, sql: "PRAGMA application_id") ?? 0
    let schema = try schema()
    guard applicationID == Schema.applicationID else {
      guard applicationID == 0, schema == 0 else { throw StoreError.foreign(path: path.name) }
      let parts = try schemaParts()
      if parts.isEmpty { return .empty }
      // What restores a dump says neither whose the database is nor which schema it has; other
      // programs may have added tables of their own.
      let restored = try (1...Schema.newest).last { schema in
        try Schema.parts(of: schema).allSatisfy { parts[$0.key] == $0.value }
      }
      guard let restored else { throw StoreError.foreign(path: path.name) }
      return .store(schema: restored)
    }
    guard schema <= Schema.newest else {
      throw StoreError.newer(path: path.name, schema: schema, known: Schema.newest)
    }
    return .store(schema: schema)
  }

  /// Makes the database a store of the newest schema.
  ///
  /// Whose database it is, is decided in the transaction that changes it, so nobody else's is
  /// changed; all migrations are one transaction, so a killed process leaves the old schema or the
  /// new one, and of two processes the second finds the work done.
  ///
  /// - Throws: `StoreError.notFound` where there is no store and none is to be made; `.foreign`,
  ///   `.newer`.
  func becomeStore(at path: StorePath, ifAbsent absence: SQLiteStore.Absence) throws {
    // A store that is up to date is opened without waiting for whoever writes to it.
    var found = Schema.Finding.empty
    try inTransaction(.deferred) {
      found = try finding(at: path)
      return .commit
    }
    if found == .store(schema: Schema.newest), try schema() == Schema.newest { return }
    try inTransaction(.immediate) {
      let schema: Int
      switch try finding(at: path) {
      case .store(let known): schema = known
      case .empty where absence == .create: schema = 0
      case .empty: throw StoreError.notFound(path: path.name)
      }
      for migration in Migrations.all.dropFirst(schema) { try execute(sql: migration.sql) }
      if schema < Schema.firstWithDigests { try DigestedTable.renewAll(in: self) }
      try execute(
        sql: """
          PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(Schema.newest)
          """)
      return .commit
    }
  }

  /// Makes the file one with a write-ahead log, if it is not yet.
  ///
  /// SQLite itself does not wait for the locks of this change, since it already reads when it asks
  /// for them: two processes that each waited for the other to stop reading would never end.
  ///
  /// - Returns: whether the file has a log. Its file system may be unable to have one.
  func startLog(busyTimeoutSeconds: Double) throws -> Bool {
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
