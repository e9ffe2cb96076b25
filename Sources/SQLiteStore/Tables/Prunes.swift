import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func prunes(of list: ListKey) throws -> [PruneRecord] {
    let statement = try RawStatement(
      self,
      """
      SELECT old_oldest, new_oldest, pruned_at, author, rule, chain,
        \(DigestedTable.prunes.isSound) FROM prunes
      WHERE list_id = ? ORDER BY new_oldest DESC
      """)
    statement.bind(list.rawValue, at: 1)
    defer { statement.reset() }
    var records: [PruneRecord] = []
    while try statement.step() { records.append(try Self.prune(statement)) }
    return records
  }

  private static func prune(_ statement: RawStatement) throws -> PruneRecord {
    let (old, new) = (statement.integer(0), statement.integer(1))
    guard statement.integer(6) == 1 else { throw DigestedTable.prunes.damage }
    guard old >= 1, new > old, let chain = Chain(bytes: statement.bytes(5)) else {
      throw StoreError.corrupt(reason: "a row of prunes breaks the rules of prunes")
    }
    return PruneRecord(
      oldOldest: Version(Int(old)), newOldest: Version(Int(new)),
      prunedAt: Timestamp(millisecondsSince1970: statement.integer(2)),
      author: statement.optionalText(3), rule: statement.text(4), chain: chain)
  }
}

/// The oldest versions go here.
///
/// The rows of the steps up to the new oldest version, the floor, are not answerable any more. Of
/// these *old rows* one stays where something that is kept names it: as an item, for its id, or as
/// a content. What names them is the floor's checkpoint and the rows behind the floor; head and
/// checkpoints hold nothing else, since what they hold was there at the floor or came by such a
/// row. A content's item is always named with it.
extension StoreWriter {
  func prune(_ record: PruneRecord, of list: ListKey) throws {
    let floor = record.newOldest
    let end = list.base | (try firstRow(of: floor.next, in: list))
    try noteNamedRows(checkpoint(at: floor, of: list), before: end, of: list)
    try removeOldRows(before: end, of: list)
    try removeVersions(before: floor, of: list)
    try update(list, ["oldest": "?2"], [RawValue(floor.number)])
    try insert(record, of: list)
  }

  private static let tables = ["named_items", "named_contents"]

  /// Fills two temporary tables with the sequences of the old rows that are named as items and as
  /// contents.
  private func noteNamedRows(
    _ items: [StoredItem], before end: Int64, of list: ListKey
  ) throws {
    for table in Self.tables {
      try db.execute(sql: "CREATE TEMP TABLE \(table) (sequence INTEGER PRIMARY KEY)")
    }
    try note(items.map(\.id.sequence), in: "named_items")
    try note(items.map(\.content.sequence), in: "named_contents")
    for (column, table) in [
      ("item", "named_items"), ("old_content", "named_contents"),
      ("new_content", "named_contents"),
    ] {
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO temp.\(table)
          SELECT DISTINCT \(column) FROM changes
          WHERE change_id BETWEEN ? AND ? AND \(column) < ? ORDER BY 1
          """,
        arguments: [end, list.base | ListKey.largestSequence, end - list.base])
    }
  }

  /// Contents are unlike as items are, so no number comes twice.
  private func note(_ sequences: [Int64], in table: String) throws {
    let insertion = try RawStatement(self, "INSERT INTO temp.\(table) (sequence) VALUES (?)")
    for sequence in sequences.sorted() {
      insertion.bind(sequence, at: 1)
      try insertion.run()
    }
  }

  /// Removes the old rows that nothing names, and from the others what nobody asks for: the content
  /// where only the id is named, and the old content, whose row may be gone.
  private func removeOldRows(before end: Int64, of list: ListKey) throws {
    let range: StatementArguments = [list.base, end - 1]
    let sequence = "change_id & \(ListKey.largestSequence)"
    try db.execute(
      sql: """
        DELETE FROM changes WHERE change_id BETWEEN ? AND ?
          AND \(sequence) NOT IN (SELECT sequence FROM temp.named_items)
          AND \(sequence) NOT IN (SELECT sequence FROM temp.named_contents)
        """, arguments: range)
    let content = """
      iif(\(sequence) IN (SELECT sequence FROM temp.named_contents), content, NULL)
      """
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

  private func insert(_ record: PruneRecord, of list: ListKey) throws {
    try RawStatement(self, DigestedTable.prunes.insertion()).run(
      .integer(list.rawValue), RawValue(record.oldOldest.number),
      RawValue(record.newOldest.number), .integer(record.prunedAt.millisecondsSince1970),
      RawValue(record.author), .text(record.rule), .blob(record.chain.bytes))
  }
}
