import GRDB
import ListModel

extension SQLiteReader {
  func history(of item: ItemKey, in list: ListKey) throws -> [ItemChange] {
    // The introducing row and the later ones lie in two indexes, and a union keeps each to its own.
    let statement = try RawStatement(
      db,
      """
      SELECT change_id, \(ChangeRow.columns) FROM changes WHERE change_id = ?1
      UNION ALL
      SELECT change_id, \(ChangeRow.columns) FROM changes WHERE item = ?1 AND item <> change_id
      ORDER BY change_id
      """)
    statement.bind(item.rawValue, at: 1)
    defer { statement.reset() }
    var changes: [ItemChange] = []
    while try statement.step() {
      let row = try ChangeRow(statement, column: 1)
      changes.append(
        ItemChange(
          version: try version(ofChange: statement.integer(0), in: list), from: row.from,
          to: row.to, isMove: row.kind == .move, oldContent: row.oldContent,
          newContent: row.newContent))
    }
    return changes
  }

  private func version(ofChange change: Int64, in list: ListKey) throws -> Version {
    let number = try Int.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT version FROM versions WHERE list_id = ? AND first_change <= ?
          ORDER BY version DESC LIMIT 1
          """), arguments: [list.rawValue, change])
    guard let number else {
      throw StoreError.corrupt(reason: "change \(change) belongs to no version")
    }
    return Version(number)
  }
}
