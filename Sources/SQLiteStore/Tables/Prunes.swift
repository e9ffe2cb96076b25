import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func prunes(of list: ListKey) throws -> [PruneRecord] {
    try rows(
      of: .prunes, "old_oldest, new_oldest, pruned_at, author, rule, chain",
      "WHERE list_id = ? ORDER BY new_oldest DESC", RawValue(list)
    ) { row in
      let (old, new) = (row.integer(0), row.integer(1))
      guard old >= 1, new > old, let chain = Chain(bytes: row.bytes(5)) else {
        throw DigestedTable.prunes.brokenRules
      }
      return PruneRecord(
        oldOldest: Version(Int(old)), newOldest: Version(Int(new)),
        prunedAt: Timestamp(millisecondsSince1970: row.integer(2)), author: row.optionalText(3),
        rule: row.text(4), chain: chain)
    }
  }
}

/// Deletes the rows of pruned versions.
///
/// The *floor* is the new oldest version. Rows up to the floor ("old rows") are deleted unless the
/// floor's checkpoint or a later row references them, as an item (for its id) or as a content. No
/// other references exist: the head and later checkpoints contain only items that were present at
/// the floor or were written after it. Every reference to a content also references its item.
extension StoreWriter {
  func prune(_ record: PruneRecord, of list: ListKey) throws {
    let floor = record.newOldest
    let end = list.base | (try firstRow(of: floor.next, in: list))
    try collectReferences(from: checkpoint(at: floor, of: list), before: end, of: list)
    try removeOldRows(before: end, of: list)
    try fillIDs(of: list)
    try removeVersions(before: floor, of: list)
    try update(list, ["oldest": "?2"], RawValue(floor))
    try insert(
      into: .prunes, RawValue(list), RawValue(record.oldOldest), RawValue(record.newOldest),
      RawValue(record.prunedAt), RawValue(record.author), .text(record.rule),
      .blob(record.chain.bytes))
  }

  private static let tables = ["named_items", "named_contents"]

  /// Fills two temporary tables with the sequences of the old rows that are referenced as items and
  /// as contents.
  private func collectReferences(
    from items: [StoredItem], before end: Int64, of list: ListKey
  ) throws {
    for table in Self.tables {
      try db.execute(sql: "CREATE TEMP TABLE \(table) (sequence INTEGER PRIMARY KEY)")
    }
    try add(items.map(\.id.sequence), to: "named_items")
    try add(items.map(\.content.sequence), to: "named_contents")
    for (column, table) in [
      ("item", "named_items"), ("old_content", "named_contents"), ("new_content", "named_contents"),
    ] {
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO temp.\(table)
          SELECT DISTINCT \(column) FROM changes
          WHERE change_id BETWEEN ? AND ? AND \(column) < ? ORDER BY 1
          """,
        arguments: [end, list.last, end - list.base])
    }
  }

  /// Content keys are unique, like item keys.
  private func add(_ sequences: [Int64], to table: String) throws {
    let insertion = try RawStatement(self, "INSERT INTO temp.\(table) (sequence) VALUES (?)")
    for sequence in sequences.sorted() {
      insertion.bind(sequence, at: 1)
      try insertion.run()
    }
  }

  /// Deletes the old rows without references. Clears the unused columns of the others: the content
  /// if only the id is referenced, and the old content, whose row may be deleted.
  private func removeOldRows(before end: Int64, of list: ListKey) throws {
    let range: StatementArguments = [list.base, end - 1]
    let sequence = "change_id & \(ListKey.largestSequence)"
    try db.execute(
      sql: """
        DELETE FROM changes WHERE change_id BETWEEN ? AND ?
          AND \(sequence) NOT IN (SELECT sequence FROM temp.named_items)
          AND \(sequence) NOT IN (SELECT sequence FROM temp.named_contents)
        """, arguments: range)
    let content = "iif(\(sequence) IN (SELECT sequence FROM temp.named_contents), content, NULL)"
    try db.execute(
      sql: """
        UPDATE changes
        SET \(DigestedTable.changes.assignments(["old_content": "NULL", "content": content]))
        WHERE change_id BETWEEN ? AND ? AND (old_content IS NOT NULL
          OR content IS NOT NULL
            AND \(sequence) NOT IN (SELECT sequence FROM temp.named_contents))
        """, arguments: range)
    for table in Self.tables { try db.execute(sql: "DROP TABLE temp.\(table)") }
  }

  private func removeVersions(before floor: Version, of list: ListKey) throws {
    try db.execute(
      sql: "DELETE FROM versions WHERE version_id BETWEEN ? AND ?",
      arguments: [list.base, list.base | Int64(floor.number) - 1])
    try db.execute(
      sql: "DELETE FROM checkpoints WHERE list_id = ? AND version < ?",
      arguments: [list.rawValue, floor.number])
    try db.execute(
      sql: "DELETE FROM change_sets WHERE list_id = ?1 AND (from_version < ?2 OR to_version < ?2)",
      arguments: [list.rawValue, floor.number])
  }
}
