import ListModel
import ListStore
import RawSQLite

/// The table in which a list finds its items by their ids.
extension StoreReader: IDTable {
  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    try foundKeys(of: ids, in: list)
  }

  package func idTableRecord(of list: ListKey) throws -> IDTableRecord {
    try rows(of: .lists, "next_change, id_digest", "WHERE list_id = ?", RawValue(list)) { row in
      IDTableRecord(nextChange: row.integer(0), digestSum: row.integer(1))
    }.first ?? IDTableRecord(nextChange: 1, digestSum: 0)
  }

  package func idDigestSum(of list: ListKey) throws -> Int64 {
    let statement = try RawStatement(
      self, "SELECT coalesce(sum(digest), 0) FROM id_parts WHERE part_id BETWEEN ? AND ?")
    statement.bind([.integer(list.base), .integer(list.last)])
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
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
  }

  package func digest(of part: IDPart, in list: ListKey) throws -> Int64 {
    let statement = try RawStatement(self, "SELECT row_digest(?, ?)")
    statement.bind([.integer(list.base | part.last), .blob(part.encoded)])
    defer { statement.reset() }
    guard try statement.step() else { preconditionFailure("a SELECT without a table has a row") }
    return statement.integer(0)
  }

  package func setDigestSum(_ sum: Int64, of list: ListKey) throws {
    try RawStatement(self, Self.setIDDigest).run(RawValue(list), .integer(sum))
  }

  private static let setIDDigest = """
    UPDATE lists SET \(DigestedTable.lists.assignments(["id_digest": "?2"])) WHERE list_id = ?1
    """
}
