import ListStore

/// The layout of a store's tables on the machines of a Citus cluster.
public struct Distribution: Equatable, Sendable {
  /// The machines that hold lists, each as `host:port`.
  public let machines: [String]
  /// The number of shards. All lists of a shard are on the same machine.
  public let shardCount: Int
  /// Whether the tables were already distributed.
  public let wasThere: Bool
}

/// Thrown when the tables of a store cannot be distributed. Nothing was changed.
public struct DistributionRefusal: Error, Equatable, Sendable {
  public let reason: String
  /// The advice for the user.
  public let remedy: String
}

extension PostgresStore {
  /// Distributes the tables of a store over the machines of a Citus cluster, and checks the layout.
  /// Creates a missing store. If the tables are distributed already, only checks the layout, and
  /// records shards that were split.
  ///
  /// Each list is on one machine, with all its rows. Each machine has a copy of the few rows that
  /// belong to no list: the directory, tokens and former names. Programs that have the store open
  /// must open it again.
  ///
  /// - Parameters:
  ///   - text: the address of the coordinator's database. Its user must own the store.
  ///   - schema: the database's schema that has the tables.
  ///   - shardCount: the number of shards; nil for four per machine.
  /// - Throws: one of the errors of `StoreError` listed under "When it is opened";
  ///   `DistributionRefusal` if the database does not belong to a cluster, or the tables are
  ///   distributed in another way.
  /// - Complexity: copies all rows.
  public static func distribute(
    address text: String, schema: String = standardSchema, shardCount: Int? = nil
  ) throws -> Distribution {
    // Creates the store, or checks it.
    _ = try PostgresStore(address: text, schema: schema, createsMissing: true)
    let address = PostgresAddress(text)
    do {
      let connection = try Connection(
        address, LibPQ.loaded.get(), ConnectionCounter(), preparing: PreparedStatements.Support())
      return try Distributor(connection, schema: schema).run(shardCount: shardCount)
    } catch let error as ServerError {
      throw StoreError(error, store: address.name)
    }
  }
}

/// The distribution of the tables of one schema.
private struct Distributor {
  /// The way in which a table is distributed.
  private enum Layout: Equatable {
    /// A copy on every machine.
    case reference
    /// Shards by the values of a column. All tables with shards are in one colocation group.
    case byColumn(String)
  }

  /// The layout of a table, as the cluster reports it.
  private struct Place: Equatable {
    let layout: Layout
    /// The number of the colocation group: the tables whose shards are on the same machines.
    let group: Int64
    let isWholeSchema: Bool
  }

  private let connection: Connection
  private let name: String
  private let schema: String
  private static let references =
    LogTable.allCases.filter { $0.isDirectory }.map(\.layout.name) + ["store", "buckets"]
  private static let others =
    ([.lists] + LogTable.ofLists).map { ($0.layout.name, "list_id") } + [("marks", "bucket")]

  init(_ connection: Connection, schema: String) {
    (self.connection, name) = (connection, schema)
    self.schema = "\"\(schema.replacing("\"", with: "\"\""))\""
  }

  func run(shardCount: Int?) throws -> Distribution {
    let machines = try machines()
    let places = try places()
    if places.isEmpty {
      try checkSettings()
      try distribute(shardCount: shardCount ?? machines.count * 4)
    }
    try check(places.isEmpty ? self.places() : places)
    let buckets = try recordShards()
    return Distribution(
      machines: machines, shardCount: buckets.all.count, wasThere: !places.isEmpty)
  }

  private func rows(_ sql: String, _ values: [Value] = [], columns: Int = 1) throws -> [[String]] {
    var rows: [[String]] = []
    try connection.query(sql, values) { row in rows.append((0..<columns).map { row.text($0) }) }
    return rows
  }

  /// Returns the machines that may hold shards.
  private func machines() throws -> [String] {
    let extensions = try rows("SELECT 1::text FROM pg_extension WHERE extname = 'citus'")
    guard !extensions.isEmpty else {
      throw DistributionRefusal(
        reason: "the database does not have the extension citus",
        remedy: "Install it on each machine, and run CREATE EXTENSION citus in each database.")
    }
    let machines = try rows(
      """
      SELECT nodename || ':' || nodeport FROM pg_dist_node
      WHERE noderole = 'primary' AND isactive AND shouldhaveshards ORDER BY 1
      """)
    guard !machines.isEmpty else {
      throw DistributionRefusal(
        reason: "the cluster has no machine that may hold lists",
        remedy: "Add one: SELECT citus_add_node('HOST', 5432).")
    }
    return machines.map { $0[0] }
  }

  /// Checks the settings that durable commits and new lists need on each machine.
  private func checkSettings() throws {
    let settings = try rows(
      """
      SELECT nodename || ':' || nodeport, result FROM run_command_on_all_nodes(
        'SELECT current_setting(''synchronous_commit'') || '' ''
          || current_setting(''max_prepared_transactions'')') JOIN pg_dist_node USING (nodeid)
      """, columns: 2)
    for setting in settings {
      let values = setting[1].split(separator: " ")
      if values.first == "off" {
        throw DistributionRefusal(
          reason: "on \(setting[0]), synchronous_commit is off, so that commits could be lost",
          remedy: "Set it to on there.")
      }
      if values.last == "0" {
        throw DistributionRefusal(
          reason:
            "on \(setting[0]), max_prepared_transactions is 0, so that no list could be created",
          remedy: "Set it to the number of connections there, and restart the server.")
      }
    }
  }

  /// Returns the layout of each table, by its name; empty if no table is distributed.
  private func places() throws -> [String: Place] {
    var places: [String: Place] = [:]
    try connection.query(
      """
      SELECT relname::text, coalesce(column_to_column_name(logicalrelid, partkey), ''),
        colocationid::bigint, (partmethod = 'n' AND repmodel <> 't')::int
      FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
      JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1
      """, [.string(name)]
    ) { row in
      let column = row.text(1)
      places[row.text(0)] = Place(
        layout: column.isEmpty ? .reference : .byColumn(column), group: row.integer(2),
        isWholeSchema: row.integer(3) == 1)
    }
    return places
  }

  private func check(_ places: [String: Place]) throws {
    if places.values.contains(where: \.isWholeSchema) {
      throw DistributionRefusal(
        reason: "the schema is distributed as a whole: it lies on one machine",
        remedy: "Leave it so; or run SELECT citus_schema_undistribute('\(name)') first.")
    }
    let group = places["lists"]?.group
    let expected =
      Self.references.map { ($0, Layout.reference) }
      + Self.others.map { ($0.0, .byColumn($0.1)) }
    for (table, layout) in expected {
      let place = places[table]
      guard place?.layout == layout, layout == .reference || place?.group == group else {
        throw DistributionRefusal(
          reason: "the table \(table) is not distributed as it should be",
          remedy: "Run SELECT undistribute_table('\(table)') for each table of the store first.")
      }
    }
  }

  private func distribute(shardCount: Int) throws {
    try connection.inTransaction {
      try connection.run("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
      try connection.run("SET LOCAL search_path TO \(schema)")
      for table in Self.references {
        _ = try rows("SELECT create_reference_table($1::regclass)::text", [.string(table)])
      }
      for (table, column) in Self.others {
        let isFirst = table == "lists"
        _ = try rows(
          """
          SELECT create_distributed_table('\(table)', '\(column)', colocate_with =>
            '\(isFirst ? "none" : "lists")'\(isFirst ? ", shard_count => \(shardCount)" : ""))::text
          """)
      }
      _ = try rows("SELECT create_distributed_function('shown(bytea)')::text")
    }
    // The shards now have copies of the rows. Delete the rows on the coordinator.
    for table in Self.references + Self.others.map(\.0) {
      _ = try rows(
        "SELECT truncate_local_data_after_distributing_table($1::regclass)::text",
        [.string("\(schema).\(table)")])
    }
  }

  /// Stores a bucket for each shard, unless these buckets are stored already.
  private func recordShards() throws -> Buckets {
    var ranges: [ClosedRange<Int64>] = []
    try connection.query(
      """
      SELECT shardminvalue::bigint, shardmaxvalue::bigint FROM pg_dist_shard
      WHERE logicalrelid = $1::regclass ORDER BY 1
      """, [.string("\(schema).lists")]
    ) { ranges.append($0.integer(0)...$0.integer(1)) }
    let buckets = Buckets.numbered(ranges)
    let known = try PostgresSchema(name: schema, store: name).buckets(on: connection)
    if known == buckets { return buckets }
    try connection.inTransaction {
      try connection.query("DELETE FROM \(schema).buckets")
      for bucket in buckets.all {
        try connection.query(
          "INSERT INTO \(schema).buckets VALUES ($1, $2, $3)",
          [
            .integer(bucket.number), .integer(bucket.hashes.lowerBound),
            .integer(bucket.hashes.upperBound),
          ])
      }
    }
    return buckets
  }
}

extension LogTable {
  /// Whether the rows of the table belong to no list.
  fileprivate var isDirectory: Bool { [.names, .retiredLists, .tokens].contains(self) }
}
