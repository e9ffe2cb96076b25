import Foundation
import GRDB
import ListChanges
import ListModel

extension SQLiteReader: ListWriter {
  func createList(_ name: ListName) throws -> ListRecord {
    try db.execute(
      sql: "INSERT INTO lists (name, head, oldest) VALUES (?, 0, 1)", arguments: [name.text])
    return ListRecord(
      key: ListKey(rawValue: db.lastInsertedRowID), name: name, head: .zero, oldest: Version(1),
      idRule: nil)
  }

  func setIDRule(_ idRule: String, of list: ListKey) throws {
    try db.execute(
      sql: "UPDATE lists SET id_rule = ? WHERE list_id = ?", arguments: [idRule, list.rawValue])
  }

  func setImportPosition(_ position: String, of source: String, in list: ListKey) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO imports (list_id, source, position) VALUES (?, ?, ?)",
      arguments: [list.rawValue, source, position])
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
      db.cachedStatement(
        sql: """
          UPDATE lists SET head = head + 1 WHERE list_id = ? AND head = ? RETURNING next_change
          """), arguments: [list.rawValue, version.number - 1])
    guard let next else { throw StoreError.headMoved }
    return next
  }

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
    try db.execute(
      sql: "UPDATE lists SET next_change = ? WHERE list_id = ?",
      arguments: [sequence, list.rawValue])
  }

  func insert(
    _ record: VersionRecord, into list: ListKey, firstChange: Int64
  ) throws {
    try db.cachedStatement(
      sql: """
        INSERT INTO versions (version_id, first_change, committed_at, author, message,
          item_count, removed, moved, inserted, updated, checksum, chain)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      list.base | Int64(record.version.number), firstChange,
      record.note.time.millisecondsSince1970, record.note.author, record.note.message,
      record.count, record.changes.removed, record.changes.moved, record.changes.inserted,
      record.changes.updated, Data(record.checksum.bytes), Data(record.chain.bytes),
    ])
  }

  static let manyRows = 10_000

  /// Runs a body that introduces many items while the index of ids is away, where the store holds no
  /// other rows: SQLite sorts before it makes an index, and so many insertions at random places cost
  /// several times as much.
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
