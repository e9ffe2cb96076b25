import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func titlePath(of list: ListKey) throws -> JSONPointer? {
    try rows(of: .titles, "path", "WHERE list_id = ?", RawValue(list)) { row in
      guard let path = JSONPointer(row.text(0)) else { throw DigestedTable.titles.brokenRules }
      return path
    }.first
  }
}

extension StoreWriter {
  func setTitlePath(_ path: JSONPointer, of list: ListKey) throws {
    try insert(into: .titles, RawValue(list), .text(path.description))
  }
}
