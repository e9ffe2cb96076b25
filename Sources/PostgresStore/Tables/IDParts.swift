import ListChanges
import ListModel
import ListStore

/// The table in which a list finds its items by their ids.
extension PostgresReader: IDTable {
  /// How many ids are kept for later questions of the transaction.
  private static let keptKeyCount = 4096

  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    var keys = itemKeys[list] ?? [:]
    let missing = Set(ids).filter { keys[$0] == nil }.sorted()
    if !missing.isEmpty {
      for (id, key) in zip(missing, try foundKeys(of: missing, in: list)) {
        keys.updateValue(key, forKey: id)
      }
      if keys.count <= Self.keptKeyCount { itemKeys[list] = keys }
    }
    return ids.map { keys[$0] ?? nil }
  }

  package func scannedKeys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    // A program of an older version has written: until the next commit, all rows are read.
    var keys: [ItemID: ItemKey] = [:]
    _ = try rows(
      of: .changes, "WHERE list_id = $1 AND id = ANY($2::bytea[])", Value(list),
      .byteArrays(ids.map { Array($0.text.utf8) })
    ) { row in
      keys[ItemID(row.text(8))] = ItemKey(list, sequence: row.integer(1))
    }
    return ids.map { keys[$0] }
  }

  package func idTableState(of list: ListKey) throws -> IDTableState {
    let row = try row(list)
    return IDTableState(nextIndexed: row.nextIndexed, nextChange: row.nextChange)
  }

  package func idParts(holding hashes: [UInt64], of list: ListKey) throws -> [IDPart] {
    var (parts, keys) = idParts[list] ?? ([:], [:])
    let missing = hashes.filter { keys[$0] == nil }
    if !missing.isEmpty {
      try connection.query(
        """
        SELECT \(columns(of: .idParts)) FROM (
          SELECT DISTINCT (
            SELECT last_prefix FROM \(name(.idParts))
            WHERE list_id = $1 AND last_prefix >= asked.value ORDER BY last_prefix LIMIT 1) AS key
          FROM unnest($2::bigint[]) AS asked (value)) AS asked
        CROSS JOIN LATERAL (
          SELECT * FROM \(name(.idParts)) WHERE list_id = $1 AND last_prefix = asked.key OFFSET 0
        ) AS found
        """, [Value(list), .integers(missing.map { IDEntry.prefix(of: $0) })]
      ) { row in
        let part = try Self.idPart(SoundRow(row, of: .idParts))
        parts[part.last] = part
      }
      let lasts = parts.keys.sorted()
      for hash in missing {
        let prefix = IDEntry.prefix(of: hash)
        let position = lasts.partitioningIndex { $0 >= prefix }
        if position < lasts.count { keys[hash] = lasts[position] }
      }
      if keys.count <= Self.keptKeyCount { idParts[list] = (parts, keys) }
    }
    return Set(hashes.compactMap { keys[$0] }).sorted().compactMap { parts[$0] }
  }

  private static func idPart(_ row: SoundRow) throws -> IDPart {
    try IDPart(last: row.integer(1), encoded: row.bytes(2))
  }

  package func idParts(of list: ListKey) throws -> [IDPart] {
    try rows(
      of: .idParts, "WHERE list_id = $1 ORDER BY last_prefix", Value(list), read: Self.idPart)
  }

  package func idEntries(of list: ListKey) throws -> [IDEntry] {
    try rows(of: .changes, "WHERE list_id = $1 AND id IS NOT NULL", Value(list)) { row in
      IDEntry(ItemID(row.text(8)), item: ItemKey(list, sequence: row.integer(1)))
    }
  }
}

extension PostgresWriter: IDTableWriter {
  package func write(_ parts: [IDPart], of list: ListKey) throws {
    idParts[list] = nil
    connection.queue(
      "DELETE FROM \(name(.idParts)) WHERE list_id = $1 AND last_prefix = ANY($2::bigint[])",
      [Value(list), .integers(parts.map(\.last))])
    try insertMany(
      into: .idParts,
      parts.map { ([Value(list), .integer($0.last), .bytes($0.encoded)], nil) })
  }

  package func removeIDParts(of list: ListKey) throws {
    idParts[list] = nil
    connection.queue("DELETE FROM \(name(.idParts)) WHERE list_id = $1", [Value(list)])
  }
}
