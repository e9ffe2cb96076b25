import ListModel
import ListStore
import RawSQLite

/// The table in which a list finds its items by their ids.
extension StoreReader: IDTable {
  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    try foundKeys(of: ids, in: list)
  }

  package func scannedKeys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    // A store of an older schema has an index for this. One that a program of an older version
    // writes has none, and needs it only until the next commit.
    let statement = try RawStatement(
      self,
      """
      SELECT change_id, \(DigestedTable.changes.isSound) FROM changes WHERE list_id = ? AND id = ?
      """)
    defer { statement.reset() }
    return try ids.map { id in
      statement.reset()
      statement.bind([RawValue(list), .text(id.text)])
      guard try statement.step() else { return nil }
      guard statement.integer(1) == 1 else { throw DigestedTable.changes.damage }
      return ItemKey(rawValue: statement.integer(0))
    }
  }

  package func idTableState(of list: ListKey) throws -> IDTableState {
    guard try schema >= DigestedTable.idParts.firstSchema else { return .behind }
    return try rows(
      of: .lists, "next_indexed, next_change", "WHERE list_id = ?", RawValue(list)
    ) { row in
      IDTableState(IndexedIDs(rawValue: row.integer(0)), nextChange: row.integer(1))
    }.first ?? .empty
  }

  package func idDigestSum(of list: ListKey) throws -> Int64 {
    let statement = try RawStatement(
      self, "SELECT coalesce(sum(digest), 0) FROM id_parts WHERE part_id BETWEEN ? AND ?")
    statement.bind([.integer(list.base), .integer(list.last)])
    defer { statement.reset() }
    return try statement.step() ? IndexedIDs.sum(statement.integer(0)) : 0
  }

  package func idParts(holding hashes: [UInt64], of list: ListKey) throws -> [IDPart] {
    var parts: [IDPart] = []
    for hash in hashes where IDEntry.prefix(of: hash) > parts.last?.last ?? -1 {
      let found = try idParts(
        from: list.base | IDEntry.prefix(of: hash), to: list.last, "ORDER BY part_id LIMIT 1")
      if found.isEmpty { break }
      parts += found
    }
    return parts
  }

  package func idParts(of list: ListKey) throws -> [IDPart] {
    try idParts(from: list.base, to: list.last, "ORDER BY part_id")
  }

  private func idParts(
    from first: Int64, to last: Int64, _ selection: String
  ) throws -> [IDPart] {
    try rows(
      of: .idParts, "part_id, data", "WHERE part_id BETWEEN ? AND ? \(selection)",
      .integer(first), .integer(last)
    ) { row in
      try IDPart(last: row.integer(0) & IDPart.lastPrefix, encoded: row.bytes(1))
    }
  }

  package func idEntries(of list: ListKey) throws -> [IDEntry] {
    try rows(
      of: .changes, "change_id, id", "WHERE change_id BETWEEN ? AND ? AND id IS NOT NULL",
      .integer(list.base), .integer(list.last)
    ) { row in
      IDEntry(ItemID(row.text(1)), item: ItemKey(rawValue: row.integer(0)))
    }
  }
}

extension StoreWriter: IDTableWriter {
  package func write(_ parts: [IDPart], of list: ListKey) throws {
    for part in parts {
      try insert(into: .idParts, .integer(list.base | part.last), .blob(part.encoded))
    }
  }

  package func removeIDParts(of list: ListKey) throws {
    try RawStatement(self, "DELETE FROM id_parts WHERE part_id BETWEEN ? AND ?")
      .run(.integer(list.base), .integer(list.last))
    try RawStatement(self, "UPDATE lists SET next_indexed = 0 WHERE list_id = ?")
      .run(RawValue(list))
  }

  package func digest(of part: IDPart, in list: ListKey) throws -> Int64 {
    let statement = try RawStatement(self, "SELECT row_digest(?, ?)")
    statement.bind([.integer(list.base | part.last), .blob(part.encoded)])
    defer { statement.reset() }
    guard try statement.step() else { preconditionFailure("a SELECT without a table has a row") }
    return statement.integer(0)
  }

  package func setDigestSum(_ sum: Int64, of list: ListKey) throws {
    try updateIndexedIDs(of: list) { $0.digestSum = sum }
  }

  package func setHasAllIDs(of list: ListKey) throws {
    let next = try rows(of: .lists, "next_change", "WHERE list_id = ?", RawValue(list)) {
      $0.integer(0)
    }.first
    try updateIndexedIDs(of: list) { $0.next = next ?? 1 }
  }

  /// Changes what the row of a list says of the list's table of ids.
  private func updateIndexedIDs(of list: ListKey, _ change: (inout IndexedIDs) -> Void) throws {
    let found = try rows(of: .lists, "next_indexed", "WHERE list_id = ?", RawValue(list)) {
      IndexedIDs(rawValue: $0.integer(0))
    }.first
    guard var indexed = found else { throw StoreError.corrupt(reason: "a list is missing") }
    change(&indexed)
    try RawStatement(self, "UPDATE lists SET next_indexed = ?2 WHERE list_id = ?1")
      .run(RawValue(list), .integer(indexed.rawValue))
  }
}
