import ListModel
import ListStore

extension PostgresReader {
  /// Their keys are 1, 2, 3 …, since they are never deleted.
  func formerLists(after count: Int) throws -> [FormerList] {
    try formerLists("WHERE former_id > $1 ORDER BY former_id", Value(count))
  }

  func formerList(_ name: ListName) throws -> FormerList? {
    try formerLists("WHERE name = $1 ORDER BY former_id DESC LIMIT 1", .text(name.text)).first
  }

  private func formerLists(_ selection: String, _ value: Value) throws -> [FormerList] {
    try rows(of: .formerLists, selection, value) { row in
      let newText = row.optionalText(6)
      guard let name = ListName(row.text(1)), row.integer(2) >= 0,
        let chain = Chain(bytes: row.bytes(3)),
        case let newName = newText.flatMap(ListName.init), (newName == nil) == (newText == nil)
      else { throw Table.formerLists.brokenRules }
      return FormerList(
        name: name, version: Version(Int(row.integer(2))), chain: chain,
        leftAt: Timestamp(millisecondsSince1970: row.integer(4)), author: row.optionalText(5),
        newName: newName)
    }
  }
}

extension PostgresWriter {
  func drop(_ list: ListKey, _ record: FormerList) throws {
    (known[list], versionRows[list], headParts[list], itemKeys[list]) = (nil, nil, nil, nil)
    idParts[list] = nil
    for table in Table.ofLists + [.lists] {
      connection.queue("DELETE FROM \(name(table)) WHERE list_id = $1", [Value(list)])
    }
    changedKeys.insert(list.rawValue)
    try insert(record)
  }

  func insert(_ record: FormerList) throws {
    changedKeys.insert(0)
    insert(
      into: .formerLists, .integer(try nextKey(of: .formerLists)), .text(record.name.text),
      Value(record.version), .bytes(record.chain.bytes), Value(record.leftAt),
      Value(record.author), Value(record.newName?.text))
  }

  /// The next key of a table whose rows belong to no list. Until this transaction ends, no other
  /// one gets a key of the table.
  func nextKey(of table: Table) throws -> Int64 {
    try connection.query(
      "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended($1, 1))", [.string(name(table))])
    return try number("SELECT coalesce(max(\(table.key)), 0) + 1 FROM \(name(table))") ?? 1
  }
}
