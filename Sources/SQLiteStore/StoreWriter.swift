import GRDB
import ListChanges
import ListModel
import ListStore
import RawSQLite

/// `ListWriter` as SQL inside one transaction: what concerns several tables here, the rest grouped
/// by table in `Tables`.
final class StoreWriter: StoreReader, ListWriter {
  func append(
    _ step: ChangeSet<Item>, after head: Version, to list: ListKey, order: inout HeadOrder,
    record: () -> VersionRecord
  ) throws {
    let firstChange = try moveHead(of: list, from: head, to: head.next)
    let (stored, introduced) = try insertRows(of: list, from: firstChange) { writer in
      try writer.write(step, to: &order, asking: self)
    }
    try add(introduced, to: list, isFirst: firstChange == 1)
    try insert(record(), into: list, firstChange: firstChange)
    try order.apply(stored)
    try write(&order, of: list)
  }

  /// The rows that introduce the items are like the old rows that pruning leaves: they hold ids and
  /// contents, and are no step.
  func start(_ list: ListKey, at record: VersionRecord, nextItem: () throws -> Item) throws {
    precondition(record.version > Version(1), "version 1 has a step of its own")
    let firstChange = try moveHead(of: list, from: .zero, to: record.version, isOldest: true)
    let (items, introduced) = try insertRows(of: list, from: firstChange) { writer in
      // Reserves nothing: a damaged bundle may have any count.
      var items: [StoredItem] = []
      for index in 0..<record.count { items.append(try writer.introduce(nextItem(), at: index)) }
      return items
    }
    try checkDistinct(introduced, of: list)
    try add(introduced, to: list, isFirst: true)
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
}
