import ListModel
import ListStore

/// Tags, imports and titles.
extension PostgresReader {
  func tags(of list: ListKey) throws -> [TagRecord] {
    try rows(of: .tags, "WHERE list_id = $1 ORDER BY name", Value(list), read: Self.tag)
  }

  func tag(_ name: TagName, of list: ListKey) throws -> TagRecord? {
    try rows(
      of: .tags, "WHERE list_id = $1 AND name = $2", Value(list), .text(name.text), read: Self.tag
    ).first
  }

  private static func tag(_ row: SoundRow) throws -> TagRecord {
    guard let name = TagName(row.text(1)), row.integer(2) >= 1 else {
      throw Table.tags.brokenRules
    }
    return TagRecord(
      name: name, version: Version(Int(row.integer(2))),
      taggedAt: Timestamp(millisecondsSince1970: row.integer(3)))
  }

  func hasImports(into list: ListKey) throws -> Bool {
    try number("SELECT 1 FROM \(name(.imports)) WHERE list_id = $1 LIMIT 1", Value(list)) != nil
  }

  func importPosition(of source: String, in list: ListKey) throws -> String? {
    try rows(
      of: .imports, "WHERE list_id = $1 AND source = $2", Value(list), .text(source)
    ) { $0.text(2) }.first
  }

  func titlePaths(of lists: [ListKey]) throws -> [ListKey: JSONPointer] {
    let numbers = Value.integers(lists.map(\.rawValue))
    let found = try rows(of: .titles, "WHERE list_id = ANY($1::bigint[])", numbers) { row in
      guard let path = JSONPointer(row.text(1)) else { throw Table.titles.brokenRules }
      return (ListKey(rawValue: row.integer(0)), path)
    }
    return Dictionary(uniqueKeysWithValues: found)
  }
}

extension PostgresWriter {
  func setTag(_ tag: TagRecord, of list: ListKey) throws {
    insert(
      into: .tags, Value(list), .text(tag.name.text), Value(tag.version), Value(tag.taggedAt))
  }

  func removeTag(_ name: TagName, of list: ListKey) throws {
    connection.queue(
      "DELETE FROM \(self.name(.tags)) WHERE list_id = $1 AND name = $2",
      [Value(list), .text(name.text)])
  }

  func setImportPosition(_ position: String, of source: String, in list: ListKey) throws {
    insert(into: .imports, Value(list), .text(source), .text(position))
  }

  func setTitlePath(_ path: JSONPointer, of list: ListKey) throws {
    insert(into: .titles, Value(list), .text(path.description))
    changedKeys.insert(list.rawValue)
  }
}
