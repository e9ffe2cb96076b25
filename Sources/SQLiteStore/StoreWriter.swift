import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

/// `ListWriter` as SQL inside one transaction: what concerns several tables here, the rest grouped
/// by table in `Tables`.
final class StoreWriter: StoreReader, ListWriter {
  func append(
    _ record: VersionRecord, step: ChangeSet<Item>, to list: ListKey, order: inout HeadOrder
  ) throws {
    let old = Version(record.version.number - 1)
    let firstChange = try moveHead(of: list, from: old, to: record.version)
    let isLarge = record.version == Version(1) && step.inserted.count >= Self.manyRows
    let stored = try withoutIndex(if: isLarge) {
      try insertRows(of: list, from: firstChange) { writer in
        try writer.write(step, to: &order, asking: self)
      }
    }
    try insert(record, into: list, firstChange: firstChange)
    try order.apply(stored)
    try write(&order, of: list)
  }

  /// The rows that introduce the items are like the old rows that pruning leaves: they hold ids and
  /// contents, and are no step.
  func start(_ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item) throws {
    precondition(record.version > Version(1), "version 1 has a step of its own")
    let firstChange = try moveHead(of: list, from: .zero, to: record.version, isOldest: true)
    let items: [StoredItem]
    do {
      items = try withoutIndex(if: record.count >= Self.manyRows) {
        try insertRows(of: list, from: firstChange) { writer in
          // Reserves nothing: a damaged bundle may have any count.
          var items: [StoredItem] = []
          for index in 0..<record.count {
            items.append(try writer.introduce(nextItem(), at: index))
          }
          return items
        }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw StoreError.duplicateItem
    }
    try insert(record, into: list, firstChange: firstChange)
    var order = HeadOrder(items)
    try write(&order, of: list)
    try writeCheckpoint(items, at: record.version, of: list)
  }

  /// Stores a row, of values in the order of the table's insertion.
  func insert(into table: DigestedTable, _ values: RawValue...) throws {
    let statement = try RawStatement(self, table.insertion)
    statement.bind(values)
    try statement.run()
  }

  /// The key of the next row: one more than the largest.
  func nextKey(_ column: String, in table: String) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT coalesce(max(\(column)), 0) + 1 FROM \(table)") ?? 1
  }

  private static let manyRows = 10_000

  /// Runs a body that introduces many items, without the index of ids if the store has no other
  /// rows. SQLite sorts the rows when it then creates the index, which costs a fraction of as many
  /// insertions at random places.
  private func withoutIndex<Result>(
    if isLarge: Bool, _ body: () throws -> Result
  ) throws -> Result {
    guard isLarge else { return try body() }
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
