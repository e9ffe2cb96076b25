import ListModel
import ListStore
import RawSQLite

extension StoreReader {
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

  private static let tagColumns = """
    SELECT name, version, tagged_at, \(DigestedTable.tags.isSound) FROM tags
    """

  private static func tag(_ statement: RawStatement) throws -> TagRecord {
    let version = statement.integer(1)
    guard statement.integer(3) == 1 else { throw DigestedTable.tags.damage }
    guard let name = TagName(statement.text(0)), version >= 1 else {
      throw StoreError.corrupt(reason: "a row of tags breaks the rules of tags")
    }
    return TagRecord(
      name: name, version: Version(Int(version)),
      taggedAt: Timestamp(millisecondsSince1970: statement.integer(2)))
  }
}

extension StoreWriter {
  func setTag(_ tag: TagRecord, of list: ListKey) throws {
    try RawStatement(self, DigestedTable.tags.insertion(replaces: true)).run(
      .integer(list.rawValue), .text(tag.name.text), RawValue(tag.version.number),
      .integer(tag.taggedAt.millisecondsSince1970))
  }

  func removeTag(_ name: TagName, of list: ListKey) throws {
    try RawStatement(self, "DELETE FROM tags WHERE list_id = ? AND name = ?").run(
      .integer(list.rawValue), .text(name.text))
  }
}
