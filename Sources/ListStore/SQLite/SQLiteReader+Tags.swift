import GRDB
import ListModel

extension SQLiteReader {
  func tags(of list: ListKey) throws -> [TagRecord] {
    try Row.fetchAll(
      db, sql: "SELECT name, version, tagged_at FROM tags WHERE list_id = ? ORDER BY name",
      arguments: [list.rawValue]
    ).map(Self.tag)
  }

  func tag(_ name: TagName, of list: ListKey) throws -> TagRecord? {
    try Row.fetchOne(
      db, sql: "SELECT name, version, tagged_at FROM tags WHERE list_id = ? AND name = ?",
      arguments: [list.rawValue, name.text]
    ).map(Self.tag)
  }

  private static func tag(_ row: Row) throws -> TagRecord {
    let version: Int = row["version"]
    guard let name = TagName(row["name"]), version >= 1 else {
      throw StoreError.corrupt(reason: "a row of tags breaks the rules of tags")
    }
    return TagRecord(
      name: name, version: Version(version),
      taggedAt: Timestamp(millisecondsSince1970: row["tagged_at"]))
  }

  func setTag(_ tag: TagRecord, of list: ListKey) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO tags (list_id, name, version, tagged_at) VALUES (?, ?, ?, ?)",
      arguments: [
        list.rawValue, tag.name.text, tag.version.number, tag.taggedAt.millisecondsSince1970,
      ])
  }

  func removeTag(_ name: TagName, of list: ListKey) throws {
    try db.execute(
      sql: "DELETE FROM tags WHERE list_id = ? AND name = ?",
      arguments: [list.rawValue, name.text])
  }
}
