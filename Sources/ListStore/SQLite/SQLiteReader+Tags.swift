import GRDB
import ListModel

extension SQLiteReader {
  func tags(of list: ListKey) throws -> [TagRecord] {
    let statement = try RawStatement(self, "\(Self.tagColumns) WHERE list_id = ? ORDER BY name")
    statement.bind(list.rawValue, at: 1)
    defer { statement.reset() }
    var tags: [TagRecord] = []
    while try statement.step() { tags.append(try Self.tag(statement)) }
    return tags
  }

  func tag(_ name: TagName, of list: ListKey) throws -> TagRecord? {
    let statement = try RawStatement(self, "\(Self.tagColumns) WHERE list_id = ? AND name = ?")
    statement.bind(list.rawValue, at: 1)
    statement.bind(text: name.text.utf8, at: 2)
    defer { statement.reset() }
    return try statement.step() ? Self.tag(statement) : nil
  }

  private static let tagColumns = "SELECT name, version, tagged_at FROM tags"

  private static func tag(_ statement: RawStatement) throws -> TagRecord {
    let version = statement.integer(1)
    guard let name = TagName(statement.text(0)), version >= 1 else {
      throw StoreError.corrupt(reason: "a row of tags breaks the rules of tags")
    }
    return TagRecord(
      name: name, version: Version(Int(version)),
      taggedAt: Timestamp(millisecondsSince1970: statement.integer(2)))
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
