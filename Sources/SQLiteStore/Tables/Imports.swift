import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func hasImports(into list: ListKey) throws -> Bool {
    let statement = try RawStatement(self, "SELECT 1 FROM imports WHERE list_id = ? LIMIT 1")
    statement.bind(list.rawValue, at: 1)
    defer { statement.reset() }
    return try statement.step()
  }

  func importPosition(of source: String, in list: ListKey) throws -> String? {
    let statement = try RawStatement(
      self,
      """
      SELECT position, \(DigestedTable.imports.isSound) FROM imports
      WHERE list_id = ? AND source = ?
      """)
    statement.bind([.integer(list.rawValue), .text(source)])
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    guard statement.integer(1) == 1 else { throw DigestedTable.imports.damage }
    return statement.text(0)
  }
}

extension StoreWriter {
  func setImportPosition(_ position: String, of source: String, in list: ListKey) throws {
    try RawStatement(self, DigestedTable.imports.insertion(replaces: true)).run(
      .integer(list.rawValue), .text(source), .text(position))
  }
}
