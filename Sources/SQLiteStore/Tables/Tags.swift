import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func tags(of list: ListKey) throws -> [TagRecord] {
    try rows(
      of: .tags, Self.tagColumns, "WHERE list_id = ? ORDER BY name", RawValue(list), read: Self.tag)
  }

  func tag(_ name: TagName, of list: ListKey) throws -> TagRecord? {
    try rows(
      of: .tags, Self.tagColumns, "WHERE list_id = ? AND name = ?", RawValue(list),
      .text(name.text), read: Self.tag
    ).first
  }

  private static let tagColumns = "name, version, tagged_at"

  private static func tag(_ row: RawStatement) throws -> TagRecord {
    let version = row.integer(1)
    guard let name = TagName(row.text(0)), version >= 1 else {
      throw DigestedTable.tags.brokenRules
    }
    return TagRecord(
      name: name, version: Version(Int(version)),
      taggedAt: Timestamp(millisecondsSince1970: row.integer(2)))
  }
}

extension StoreWriter {
  func setTag(_ tag: TagRecord, of list: ListKey) throws {
    try insert(
      into: .tags, RawValue(list), .text(tag.name.text), RawValue(tag.version),
      RawValue(tag.taggedAt))
  }

  func removeTag(_ name: TagName, of list: ListKey) throws {
    try RawStatement(self, "DELETE FROM tags WHERE list_id = ? AND name = ?").run(
      RawValue(list), .text(name.text))
  }
}
