import ListModel
import ListStore

/// Structural checks of the rows; replay checks their meaning.
extension PostgresReader {
  /// The server's own check of its files is `pg_amcheck`, for its owner.
  func integrityFaults() throws -> [String] { [] }

  func reason(ofReading error: any Error) throws -> String {
    switch error {
    case StoreError.corrupt(let reason): return reason
    case let error as ServerError:
      let told = StoreError(error, store: "the store")
      switch told {
      case .corrupt, .inputOutput, .database: return "\(told)"
      default: throw error
      }
    default: return "\(error)"
    }
  }

  func rowFaults(of list: ListRecord) throws -> [RowFault] {
    var faults: [RowFault] = []
    for table in Table.ofLists {
      do {
        _ = try rows(of: table, "WHERE list_id = $1", Value(list.key)) { _ in }
      } catch StoreError.corrupt(let reason) {
        faults.append((nil, reason))
      }
    }
    for rule in Self.rules {
      let values: [Value] = [
        Value(list.key), Value(list.oldest), Value(list.head), Value(list.firstStep),
      ]
      // Each place is named, so that the server knows the type of all.
      let sql =
        "WITH list AS (SELECT $1::bigint AS key, $2::bigint AS floor, $3::bigint AS top, "
        + "$4::bigint AS first_step) \(rule.sql(name))"
      try connection.query(sql, values) { row in
        let name = row.optionalText(1)
        faults.append(
          (
            row.optionalInteger(0).flatMap { $0 >= 0 ? Version(Int($0)) : nil },
            name.map { "\(rule.reason): \($0)" } ?? rule.reason
          ))
      }
    }
    return faults
  }

  private typealias Rule = (reason: String, sql: @Sendable ((Table) -> String) -> String)

  /// Queries for the rows that break a rule: the version at fault, or null, and the name of what is
  /// at fault, or null.
  private static let rules: [Rule] = [
    (
      "its oldest version is after its newest",
      { name in "SELECT NULL::bigint, NULL::bytea FROM list WHERE floor > greatest(top, 1)" }
    ),
    (
      "it is not among the versions that the list says it has",
      { name in
        """
        SELECT version, NULL::bytea FROM list JOIN \(name(.versions)) ON list_id = key
        WHERE version NOT BETWEEN floor AND top LIMIT 1
        """
      }
    ),
    (
      "it has changes behind the one that its next change is to follow",
      { name in
        """
        SELECT NULL::bigint, NULL::bytea FROM list JOIN \(name(.lists)) AS lists ON list_id = key
        WHERE next_change <= coalesce(
          (SELECT max(change) FROM \(name(.changes)) WHERE list_id = key), 0)
        """
      }
    ),
    (
      "it has changes before those of its first version",
      { name in
        """
        SELECT NULL::bigint, NULL::bytea FROM list JOIN \(name(.versions)) ON list_id = key
        WHERE version = 1 AND EXISTS (
          SELECT 1 FROM \(name(.changes)) AS changes
          WHERE changes.list_id = key AND change < first_change)
        """
      }
    ),
    (
      "one of its changes names too much, too little, or what comes later",
      { name in
        """
        SELECT NULL::bigint, NULL::bytea FROM list
        JOIN \(name(.changes)) AS changes ON changes.list_id = key
        WHERE change >= (SELECT first_change FROM \(name(.versions)) AS versions
          WHERE versions.list_id = key AND version = first_step)
        AND ((item IS NULL) <> (changes.id IS NOT NULL)
          OR (item IS NULL AND kind <> 1)
          OR (content IS NULL) <> (new_content IS NOT NULL OR kind = 3)
          OR (content IS NOT NULL AND new_content IS NOT NULL)
          OR greatest(item, old_content, new_content, 0) >= change
          OR least(item, old_content, new_content, 1) < 1)
        LIMIT 1
        """
      }
    ),
    (
      "its checkpoint lacks a row",
      { name in
        """
        SELECT version, NULL::bytea FROM list JOIN \(name(.checkpoints)) ON list_id = key
        GROUP BY version HAVING min(part) <> 0 OR max(part) <> count(*) - 1
        """
      }
    ),
    (
      "there is a checkpoint of it, though the list does not have it",
      { name in
        """
        SELECT DISTINCT version, NULL::bytea FROM list JOIN \(name(.checkpoints)) ON list_id = key
        WHERE version NOT BETWEEN floor AND top
        """
      }
    ),
    (
      "a tag names it, though the list does not have it",
      { name in
        """
        SELECT version, tags.name FROM list JOIN \(name(.tags)) AS tags ON list_id = key
        WHERE version <> 0 AND version NOT BETWEEN floor AND top
        """
      }
    ),
    (
      "kept changes lead to or from it, though the list never had it",
      { name in
        """
        SELECT greatest(from_version, to_version), NULL::bytea
        FROM list JOIN \(name(.changeSets)) ON list_id = key
        WHERE greatest(from_version, to_version) > top OR least(from_version, to_version) < 0
        """
      }
    ),
    (
      "kept changes are not of the length on record",
      { name in
        """
        SELECT greatest(from_version, to_version), NULL::bytea
        FROM list JOIN \(name(.changeSets)) ON list_id = key WHERE byte_count <> length(data)
        """
      }
    ),
    (
      "versions that it still has are on record as pruned",
      { name in
        """
        SELECT NULL::bigint, NULL::bytea FROM list JOIN \(name(.prunes)) ON list_id = key
        WHERE new_oldest > floor OR old_oldest >= new_oldest LIMIT 1
        """
      }
    ),
    (
      "its chain is not the one on record from when those before it were pruned",
      { name in
        """
        SELECT version, NULL::bytea FROM list
        JOIN \(name(.prunes)) AS prunes ON prunes.list_id = key
        JOIN \(name(.versions)) AS versions
          ON versions.list_id = key AND version = new_oldest
        WHERE new_oldest = floor AND prunes.chain <> versions.chain
        """
      }
    ),
  ]

  func strayRowFaults() throws -> [String] {
    var faults: [String] = []
    for table in [Table.lists, .formerLists, .tokens, .grants] {
      do {
        _ = try rows(of: table, "") { _ in }
      } catch StoreError.corrupt(let reason) {
        faults.append(reason)
      }
    }
    if faults.isEmpty {
      do { _ = try tokens() } catch StoreError.corrupt(let reason) { faults.append(reason) }
    }
    for table in Table.ofLists {
      try connection.query(
        """
        SELECT DISTINCT list_id FROM \(name(table))
        WHERE list_id NOT IN (SELECT list_id FROM \(name(.lists)))
        """
      ) { row in
        faults.append(
          "rows of \(table.rawValue) belong to a list that is not there, number \(row.integer(0))")
      }
    }
    try connection.query(
      """
      SELECT DISTINCT token_id FROM \(name(.grants))
      WHERE token_id NOT IN (SELECT token_id FROM \(name(.tokens)))
      """
    ) { row in
      faults.append("rows of grants belong to a token that is not there, number \(row.integer(0))")
    }
    return faults
  }
}

/// Sizes, estimated from the lengths of rows for one list, and counted by the server for all.
extension PostgresReader {
  func size(of list: ListRecord?) throws -> StoreSize {
    var bytes: [StoreSize.Part: Int] = [:]
    let parts: [(Table, StoreSize.Part)] = [
      (.changes, .changes), (.versions, .versions), (.headParts, .headOrder), (.idParts, .idIndex),
      (.checkpoints, .checkpoints), (.changeSets, .keptChanges),
    ]
    for (table, part) in parts {
      let count =
        if let list {
          try number(
            """
            SELECT coalesce(sum(pg_column_size(rows.*)), 0)::bigint
            FROM \(name(table)) AS rows WHERE list_id = $1
            """, Value(list.key))
        } else {
          try number("SELECT pg_table_size('\(name(table))'::regclass)")
        }
      bytes[part] = Int(count ?? 0)
    }
    if list == nil {
      bytes[.itemIndex] = Int(
        try number("SELECT pg_relation_size('\(schema).changes_by_item'::regclass)") ?? 0)
      let others = Table.allCases.filter { table in !parts.contains { $0.0 == table } }
      bytes[.other] = try others.reduce(0) { sum, table in
        sum + Int(try number("SELECT pg_total_relation_size('\(name(table))'::regclass)") ?? 0)
      }
    }
    var size = StoreSize(byteCounts: bytes, isEstimate: list != nil)
    func count(_ rows: String) throws -> Int {
      guard let list else { return Int(try number("SELECT count(*) FROM \(rows)") ?? 0) }
      let link = rows.contains(" WHERE ") ? "AND" : "WHERE"
      return Int(
        try number("SELECT count(*) FROM \(rows) \(link) list_id = $1", Value(list.key)) ?? 0)
    }
    size.listCount = try count(name(.lists))
    size.versionCount = try count(name(.versions))
    size.changeCount = try count(name(.changes))
    size.checkpointCount = try count("\(name(.checkpoints)) WHERE part = 0")
    size.keptChangesCount = try count(name(.changeSets))
    return size
  }
}
