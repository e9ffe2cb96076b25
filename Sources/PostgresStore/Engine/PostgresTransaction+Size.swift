import ListStore

/// The size of a list, estimated from the lengths of its rows, and that of the whole store, as
/// counted by the server.
extension PostgresTransaction {
  func size(of list: Int64?) throws -> StoreSize {
    var byteCounts: [StoreSize.Part: Int] = [:]
    let parts: [(LogTable, StoreSize.Part)] = [
      (.segments, .changes), (.blocks, .changes), (.versions, .versions), (.headParts, .headOrder),
      (.idParts, .idIndex),
      (.checkpoints, .checkpoints), (.changeSets, .keptChanges),
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
          try bytes("table_size", of: table)
        }
      byteCounts[part, default: 0] += Int(count ?? 0)
    }
    if list == nil {
      let others = LogTable.allCases.filter { table in !parts.contains { $0.0 == table } }
      byteCounts[.other] = try others.reduce(0) { sum, table in
        sum + Int(try bytes("total_relation_size", of: table) ?? 0)
      }
    }
    var size = StoreSize(byteCounts: byteCounts, isEstimate: list != nil)
    size.listCount = try list == nil ? count(.names, of: nil) : 1
    size.versionCount = try count(.versions, of: list)
    size.checkpointCount = try count(.checkpoints, of: list, where: "part = 0")
    size.keptChangesCount = try count(.changeSets, of: list)
    return size
  }

  /// Returns the bytes of a table that an SQL function counts, on all machines if the table is
  /// distributed. The name is a value: in a literal, a quote or a backslash of the schema's name
  /// would have a meaning.
  private func bytes(_ function: String, of table: LogTable) throws -> Int64? {
    try number(
      "SELECT \(buckets.isDistributed ? "citus_" : "pg_")\(function)($1::regclass)",
      [.string(name(table))])
  }

  private func count(
    _ table: LogTable, of list: Int64?, where condition: String = "TRUE"
  ) throws -> Int {
    let sql = "SELECT count(*) FROM \(name(table)) WHERE \(condition)"
    guard let list else { return Int(try number(sql) ?? 0) }
    return Int(try number("\(sql) AND list_id = $1", [.integer(list)]) ?? 0)
  }
}
