import ListStore

/// The size of a list, estimated from the lengths of its rows, and that of the whole store, as
/// counted by the server.
extension PostgresTransaction {
  func size(of list: Int64?) throws -> StoreSize {
    var bytes: [StoreSize.Part: Int] = [:]
    let parts: [(LogTable, StoreSize.Part)] = [
      (.changes, .changes), (.versions, .versions), (.headParts, .headOrder), (.idParts, .idIndex),
      (.checkpoints, .checkpoints), (.changeSets, .keptChanges), (.blocks, .packs),
    ]
    for (table, part) in parts {
      let count =
        if let list {
          try number(
            """
            SELECT coalesce(sum(pg_column_size(rows.*)), 0)::bigint
            FROM \(name(table)) AS rows WHERE list_id = $1
            """, [.integer(list)])
        } else {
          try number("SELECT \(function("table_size"))('\(name(table))'::regclass)")
        }
      bytes[part] = Int(count ?? 0)
    }
    if list == nil {
      bytes[.itemIndex] = Int(try number(itemIndexSize) ?? 0)
      let others = LogTable.allCases.filter { table in !parts.contains { $0.0 == table } }
      bytes[.other] = try others.reduce(0) { sum, table in
        sum
          + Int(
            try number("SELECT \(function("total_relation_size"))('\(name(table))'::regclass)")
              ?? 0)
      }
    }
    var size = StoreSize(byteCounts: bytes, isEstimate: list != nil)
    size.listCount = try list == nil ? count(.names, of: nil) : 1
    size.versionCount = try count(.versions, of: list)
    size.changeCount = try count(.changes, of: list)
    size.checkpointCount = try count(.checkpoints, of: list, where: "part = 0")
    size.keptChangesCount = try count(.changeSets, of: list)
    return size
  }

  /// Returns the SQL function that counts the bytes of a table, on all machines if the table is
  /// distributed.
  private func function(_ name: String) -> String {
    (buckets.isDistributed ? "citus_" : "pg_") + name
  }

  /// The query for the size of the index by items. In a distributed store, it is the size of all
  /// indexes of the table together.
  private var itemIndexSize: String {
    let changes = "'\(name(.changes))'::regclass"
    return buckets.isDistributed
      ? "SELECT citus_total_relation_size(\(changes)) - citus_table_size(\(changes))"
      : "SELECT pg_relation_size('\(schema).changes_by_item'::regclass)"
  }

  private func count(
    _ table: LogTable, of list: Int64?, where condition: String = "TRUE"
  ) throws -> Int {
    let sql = "SELECT count(*) FROM \(name(table)) WHERE \(condition)"
    guard let list else { return Int(try number(sql) ?? 0) }
    return Int(try number("\(sql) AND list_id = $1", [.integer(list)]) ?? 0)
  }
}
