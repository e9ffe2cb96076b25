import GRDB
import ListModel
import ListStore
import RawSQLite

extension StoreReader {
  func lists() throws -> [ListRecord] {
    let statement = try RawStatement(self, "\(Self.listColumns) ORDER BY name")
    defer { statement.reset() }
    var lists: [ListRecord] = []
    while try statement.step() { lists.append(try Self.list(statement)) }
    return lists
  }

  func list(_ name: ListName) throws -> ListRecord? {
    let statement = try RawStatement(self, "\(Self.listColumns) WHERE name = ?")
    statement.bind(text: name.text.utf8, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Self.list(statement) : nil
  }

  private static let listColumns = """
    SELECT list_id, name, head, oldest, id_rule, \(DigestedTable.lists.isSound) FROM lists
    """

  private static func list(_ statement: RawStatement) throws -> ListRecord {
    let (head, oldest) = (Int(statement.integer(2)), Int(statement.integer(3)))
    let numbers = 0...Int(ListKey.largestSequence)
    guard statement.integer(5) == 1 else { throw DigestedTable.lists.damage }
    guard let name = ListName(statement.text(1)), numbers.contains(head), numbers.contains(oldest)
    else {
      throw StoreError.corrupt(reason: "a row of lists breaks the rules of lists")
    }
    return ListRecord(
      key: ListKey(rawValue: statement.integer(0)), name: name, head: Version(head),
      oldest: Version(oldest), idRule: statement.optionalText(4))
  }
}

extension StoreWriter {
  func createList(_ name: ListName) throws -> ListRecord {
    let key = try nextKey("list_id", in: "lists")
    try RawStatement(self, DigestedTable.lists.insertion()).run(
      .integer(key), .text(name.text), .integer(0), .integer(1), .null, .integer(1))
    return ListRecord(
      key: ListKey(rawValue: key), name: name, head: .zero, oldest: Version(1), idRule: nil)
  }

  func setIDRule(_ idRule: String, of list: ListKey) throws {
    try update(list, ["id_rule": "?2"], [.text(idRule)])
  }

  /// Gives a list's row new values, which are bound from place 2 on.
  func update(
    _ list: ListKey, _ changes: KeyValuePairs<String, String>, _ values: [RawValue]
  ) throws {
    let statement = try RawStatement(
      self,
      "UPDATE lists SET \(DigestedTable.lists.assignments(changes)) WHERE list_id = ?1")
    statement.bind([.integer(list.rawValue)] + values)
    try statement.run()
  }

  /// Moves the head on by one version and hands out the number of the row that comes next.
  func advanceHead(of list: ListKey, to version: Version) throws -> Int64 {
    let next = try Int64.fetchOne(
      db.cachedStatement(sql: Self.advance), arguments: [list.rawValue, version.number - 1])
    guard let next else { throw StoreError.headMoved }
    return next
  }

  private static let advance = """
    UPDATE lists SET \(DigestedTable.lists.assignments(["head": "head + 1"]))
    WHERE list_id = ? AND head = ? RETURNING next_change
    """

  /// Makes a version the first of a list that has none, and hands out the number of its first row.
  func setHead(of list: ListKey, startingAt version: Version) throws -> Int64 {
    let next = try Int64.fetchOne(
      db,
      sql: """
        UPDATE lists SET \(DigestedTable.lists.assignments(["head": "?1", "oldest": "?1"]))
        WHERE list_id = ?2 AND head = 0 RETURNING next_change
        """, arguments: [version.number, list.rawValue])
    guard let next else { throw StoreError.headMoved }
    return next
  }

  /// Notes the number of the row that comes next.
  func setNextRow(_ sequence: Int64, of list: ListKey) throws {
    guard list.holds(sequence) else { throw StoreError.listFull }
    try update(list, ["next_change": "?2"], [.integer(sequence)])
  }
}
