import ListStore
import Migrations

/// The schema that holds a store's tables.
struct PostgresSchema {
  static let oldestServer = 130_000
  static let application = "ListSync 2"
  /// The texts of development versions before the first release.
  static let unreleasedApplications = ["ListSync", "ListSync 1"]

  /// The name of the schema, quoted.
  let name: String
  /// The store's address without its password.
  let store: String
  /// The migrations in order: the n-th one leads to version n of the tables.
  var migrations = Migrations.postgreSQL

  /// Checks that the schema holds a store of the newest version. Upgrades an older store, which
  /// only its owner may do. Creates a missing store, if that is allowed.
  ///
  /// The transaction that changes the schema also checks which program it belongs to. If several
  /// processes change it at the same time, the server lets one of them commit. The others fail, and
  /// check the schema again.
  ///
  /// - Throws: `StoreError.notFound` if there is no store and none may be created; `.foreign`,
  ///   `.newer`, `.unreleased`, `.unreachable`; `ServerError`.
  func open(on connection: Connection, createsMissing isCreated: Bool) throws {
    try check(serverVersion: connection.serverVersion)
    while true {
      let schema = try found(on: connection)
      if schema == migrations.count { return }
      guard isCreated || schema != nil else {
        throw StoreError.notFound(store: store, schemas: try schemasOfStores(on: connection))
      }
      do {
        return try connection.inTransaction { try migrate(from: schema, on: connection) }
      } catch {
        guard try found(on: connection) != schema else { throw error }
      }
    }
  }

  /// Creates the tables, or upgrades them.
  ///
  /// - Parameter schema: the version of the tables; nil if there are none.
  private func migrate(from schema: Int?, on connection: Connection) throws {
    if let schema {
      // Other processes wait here. They then find another version.
      try connection.query(
        "UPDATE \(name).store SET schema = schema WHERE application = $1 AND schema = $2",
        [.string(Self.application), .integer(Int64(schema))])
      guard try found(on: connection) == schema else { throw StoreError.busy }
    } else {
      try connection.run("CREATE SCHEMA IF NOT EXISTS \(name)")
    }
    try connection.run("SET LOCAL search_path TO \(name)")
    for statement in migrations.dropFirst(schema ?? 0).flatMap(\.statements) {
      try connection.run(statement)
    }
    try connection.run(
      """
      INSERT INTO store VALUES ('\(Self.application)', \(migrations.count))
      ON CONFLICT (application) DO UPDATE SET schema = excluded.schema
      """)
  }

  /// Reads how the store's tables are distributed.
  func buckets(on connection: Connection) throws -> Buckets {
    var all: [Buckets.Bucket] = []
    try connection.query(
      "SELECT bucket, lowest_hash, highest_hash FROM \(name).buckets ORDER BY lowest_hash"
    ) { row in
      all.append(
        Buckets.Bucket(
          number: row.integer(0), hashes: row.integer(1)...max(row.integer(1), row.integer(2))))
    }
    return Buckets(all: all)
  }

  /// Checks that the server is new enough.
  ///
  /// - Throws: `StoreError.unreachable` for a server that is too old.
  func check(serverVersion version: Int) throws(StoreError) {
    if version >= Self.oldestServer { return }
    throw .unreachable(
      store: store, reason: "the server is PostgreSQL \(version / 10_000)",
      remedy: "Use PostgreSQL \(Self.oldestServer / 10_000) or newer.")
  }

  /// Returns the names of the database's schemas that hold a store, in order.
  private func schemasOfStores(on connection: Connection) throws -> [String] {
    var names: [String] = []
    try connection.query(
      """
      SELECT nspname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE relname IN ('store', 'lists', 'versions') GROUP BY nspname HAVING count(*) = 3
      ORDER BY nspname
      """
    ) { names.append($0.text(0)) }
    return names
  }

  /// Returns the version of the store's tables; nil if there is no store.
  ///
  /// - Throws: `StoreError.foreign` if the schema holds the tables of another program; `.newer`;
  ///   `.unreleased`.
  private func found(on connection: Connection) throws -> Int? {
    var tables: Set<String> = []
    try connection.query(
      """
      SELECT relname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE '"' || replace(nspname, '"', '""') || '"' = $1
      """, [.string(name)]
    ) { tables.insert($0.text(0)) }
    if tables.isEmpty { return nil }
    guard tables.contains("store") else { throw StoreError.foreign(store: store) }
    var schemas: [String: Int] = [:]
    try connection.query("SELECT application, schema::bigint FROM \(name).store") {
      schemas[$0.text(0)] = Int($0.integer(1))
    }
    guard let schema = schemas[Self.application] else {
      throw Self.unreleasedApplications.contains { schemas[$0] != nil }
        ? StoreError.unreleased(store: store) : .foreign(store: store)
    }
    guard schema <= migrations.count else {
      throw StoreError.newer(store: store, schema: schema, known: migrations.count)
    }
    return schema
  }
}

extension Migrations.Migration {
  /// The statements of the migration. Each of them ends at the end of a line. They must be sent one
  /// by one: a server that distributes tables accepts only one statement in a string.
  var statements: [String] {
    var statements = [""]
    for line in sql.split(separator: "\n") where !line.hasPrefix("--") {
      // A comment may follow at the end of a line.
      statements[statements.count - 1] += line + "\n"
      if line.hasSuffix(";") { statements.append("") }
    }
    return statements.filter { $0.contains { !$0.isWhitespace } }
  }
}
