import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  /// Their keys are 1, 2, 3 …, since they are never deleted.
  func formerLists(after count: Int) throws -> [FormerList] {
    try formerLists(
      "WHERE former_id > ? ORDER BY former_id", .integer(count == 0 ? .min : Int64(count)))
  }

  func formerList(_ name: ListName) throws -> FormerList? {
    try formerLists("WHERE name = ? ORDER BY former_id DESC LIMIT 1", .text(name.text)).first
  }

  private func formerLists(_ selection: String, _ value: RawValue) throws -> [FormerList] {
    try rows(
      of: .formerLists, "name, version, chain, left_at, author, new_name", selection, value
    ) { row in
      let (version, newText) = (row.integer(1), row.optionalText(5))
      guard let name = ListName(row.text(0)), version >= 0, let chain = Chain(bytes: row.bytes(2)),
        case let newName = newText.flatMap(ListName.init), (newName == nil) == (newText == nil)
      else { throw DigestedTable.formerLists.brokenRules }
      return FormerList(
        name: name, version: Version(Int(version)), chain: chain,
        leftAt: Timestamp(millisecondsSince1970: row.integer(3)), author: row.optionalText(4),
        newName: newName)
    }
  }
}

extension StoreWriter {
  func drop(_ list: ListKey, _ record: FormerList) throws {
    let arguments: StatementArguments = [
      "list": list.rawValue, "base": list.base, "last": list.last,
    ]
    for part in RowCheck.tables {
      try db.execute(
        sql: "DELETE FROM \(part.table.rawValue) WHERE \(part.rows)", arguments: arguments)
    }
    try RawStatement(self, "DELETE FROM lists WHERE list_id = ?").run(RawValue(list))
    try insert(record)
  }

  func rename(_ list: ListKey, _ record: FormerList) throws {
    guard let newName = record.newName else { preconditionFailure("the record has the new name") }
    try update(list, ["name": "?2"], .text(newName.text))
    try insert(record)
  }

  private func insert(_ record: FormerList) throws {
    try insert(
      into: .formerLists, .text(record.name.text), RawValue(record.version),
      .blob(record.chain.bytes), RawValue(record.leftAt), RawValue(record.author),
      RawValue(record.newName?.text))
  }
}
