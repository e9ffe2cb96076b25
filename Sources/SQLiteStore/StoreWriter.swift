import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

/// The acts of `ListWriter` as SQL, inside one transaction: those that concern several tables here,
/// the others by table in `Tables`.
final class StoreWriter: StoreReader, ListWriter {
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

  private func write(
    _ step: ChangeSet<Item>, to list: ListKey, from firstChange: Int64, order: inout HeadOrder
  ) throws -> ChangeSet<StoredItem> {
    try insertRows(of: list, from: firstChange) { writer in
      try writer.write(step, to: &order, asking: self)
    }
  }

  /// The rows that introduce the items stand in the log as those of this version do, and as pruning
  /// leaves the old rows that are still named: they give ids and contents, and are no step.
  func start(
    _ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item
  ) throws {
    precondition(record.version > Version(1), "version 1 has a step of its own")
    let firstChange = try setHead(of: list, startingAt: record.version)
    let items: [StoredItem]
    do {
      items =
        try record.count >= Self.manyRows
        ? withoutIndex { try write(record.count, nextItem, to: list, from: firstChange) }
        : write(record.count, nextItem, to: list, from: firstChange)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw StoreError.duplicateItem
    }
    try insert(record, into: list, firstChange: firstChange)
    var order = HeadOrder(items)
    try write(&order, of: list)
    try writeCheckpoint(items, at: record.version, of: list)
  }

  private func write(
    _ count: Int, _ nextItem: () throws -> Item, to list: ListKey, from firstChange: Int64
  ) throws -> [StoredItem] {
    try insertRows(of: list, from: firstChange) { writer in
      // No room is made ahead: a damaged count may be as large as numbers go.
      var items: [StoredItem] = []
      for index in 0..<count { items.append(try writer.introduce(nextItem(), at: index)) }
      return items
    }
  }

  /// The number that comes after those of all rows.
  func nextKey(_ column: String, in table: String) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT coalesce(max(\(column)), 0) + 1 FROM \(table)") ?? 1
  }

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
