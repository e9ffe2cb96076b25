import ListModel
import RawSQLite

extension SQLiteReader {
  func key(of id: ItemID, in list: ListKey) throws -> ItemKey? { try keys(of: [id], in: list)[0] }

  func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    let statement = try RawStatement(self, Self.keyByID)
    defer { statement.reset() }
    return try ids.map { id in
      statement.reset()
      statement.bind([.integer(list.rawValue), .text(id.text)])
      guard try statement.step() else { return nil }
      guard statement.integer(1) == 1 else { throw DigestedTable.changes.damage }
      return ItemKey(rawValue: statement.integer(0))
    }
  }

  private static let keyByID = """
    SELECT change_id, \(DigestedTable.changes.isSound) FROM changes WHERE list_id = ? AND id = ?
    """
}
