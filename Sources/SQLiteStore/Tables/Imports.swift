import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func hasImports(into list: ListKey) throws -> Bool {
    try !rows(of: .imports, "position", "WHERE list_id = ? LIMIT 1", RawValue(list)) { $0.text(0) }
      .isEmpty
  }

  func importPosition(of source: String, in list: ListKey) throws -> String? {
    try rows(
      of: .imports, "position", "WHERE list_id = ? AND source = ?", RawValue(list), .text(source)
    ) { $0.text(0) }.first
  }
}

extension StoreWriter {
  func setImportPosition(_ position: String, of source: String, in list: ListKey) throws {
    try insert(into: .imports, RawValue(list), .text(source), .text(position))
  }
}
