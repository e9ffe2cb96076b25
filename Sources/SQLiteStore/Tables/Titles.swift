import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func titlePaths(of lists: [ListKey]) throws -> [ListKey: JSONPointer] {
    let found = try rows(of: .titles, "path", by: "list_id", lists.map { RawValue($0) }) { row in
      guard let path = JSONPointer(row.text(0)) else { throw DigestedTable.titles.brokenRules }
      return path
    }
    return Dictionary(uniqueKeysWithValues: zip(lists, found)).compactMapValues(\.self)
  }
}

extension StoreWriter {
  func setTitlePath(_ path: JSONPointer, of list: ListKey) throws {
    try insert(into: .titles, RawValue(list), .text(path.description))
  }
}
