import GRDB
import ListChanges
import ListModel
import RawSQLite

extension SQLiteReader: ListWriter {
  func createList(_ name: ListName) throws -> ListRecord {
    let key = try nextKey("list_id", in: "lists")
    try RawStatement(self, DigestedTable.lists.insertion()).run(
      .integer(key), .text(name.text), .integer(0), .integer(1), .null, .integer(1))
    return ListRecord(
      key: ListKey(rawValue: key), name: name, head: .zero, oldest: Version(1), idRule: nil)
  }

  /// The number that comes after those of all rows.
  func nextKey(_ column: String, in table: String) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT coalesce(max(\(column)), 0) + 1 FROM \(table)") ?? 1
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

  func append(
    _ record: VersionRecord, step: ChangeSet<Item>, to list: ListKey, order: inout HeadOrder
  ) throws {
    let firstChange = try advanceHead(of: list, to: record.version)
    let isFirst = record.version == Version(1)
    let stored =
      try isFirst && step.inserted.count >= Self.manyRows
      ? withoutIndex { try write(step, to: list, from: firstChange, order: &order) }
      : write(step, to: list, from: firstChange, order: &order)
    try insert(record, into: list, firstChange: firstChange)
    try order.apply(stored)
    try write(&order, of: list)
  }

  /// Moves the head on by one version and hands out the number of the row that comes next.
  private func advanceHead(of list: ListKey, to version: Version) throws -> Int64 {
    let next = try Int64.fetchOne(
      db.cachedStatement(sql: Self.advance), arguments: [list.rawValue, version.number - 1])
    guard let next else { throw StoreError.headMoved }
    return next
  }

  private static let advance = """
    UPDATE lists SET \(DigestedTable.lists.assignments(["head": "head + 1"]))
    WHERE list_id = ? AND head = ? RETURNING next_change
    """

  private func write(
    _ step: ChangeSet<Item>, to list: ListKey, from firstChange: Int64, order: inout HeadOrder
  ) throws -> ChangeSet<StoredItem> {
    var log = try LogWriter(reader: self, list: list, firstChange: firstChange)
    let stored = try log.write(step, to: &order)
    try setNextRow(log.nextSequence, of: list)
    return stored
  }

  /// Notes the number of the row that comes next.
  func setNextRow(_ sequence: Int64, of list: ListKey) throws {
    guard list.holds(sequence) else { throw StoreError.listFull }
    try update(list, ["next_change": "?2"], [.integer(sequence)])
  }

  func insert(
    _ record: VersionRecord, into list: ListKey, firstChange: Int64
  ) throws {
    try RawStatement(self, Self.versionInsertion).run(
      .integer(list.base | Int64(record.version.number)), .integer(firstChange),
      .integer(record.note.time.millisecondsSince1970), RawValue(record.note.author),
      RawValue(record.note.message), RawValue(record.count), RawValue(record.changes.removed),
      RawValue(record.changes.moved), RawValue(record.changes.inserted),
      RawValue(record.changes.updated), .blob(record.checksum.bytes), .blob(record.chain.bytes))
  }

  private static let versionInsertion = DigestedTable.versions.insertion()

  static let manyRows = 10_000

  /// Runs a body that introduces many items while the index of ids is away, where the store holds
  /// no other rows: SQLite sorts before it makes an index, and so many insertions at random places
  /// cost several times as much.
  func withoutIndex<Result>(_ body: () throws -> Result) throws -> Result {
    let isEmpty = try Row.fetchOne(db, sql: "SELECT 1 FROM changes LIMIT 1") == nil
    let name = "changes_by_id"
    let definition = try String.fetchOne(
      db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [name])
    guard isEmpty, let definition else { return try body() }
    try db.execute(sql: "DROP INDEX \(name)")
    let result = try body()
    try db.execute(sql: definition)
    return result
  }
}
