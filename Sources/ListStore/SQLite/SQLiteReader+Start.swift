import GRDB
import ListChanges
import ListModel

/// A list that starts at a later version than the first.
///
/// The rows that introduce its items stand in the log as those of this version do, and as pruning
/// leaves the old rows that are still named: they give ids and contents, and are no step.
extension SQLiteReader {
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

  private func setHead(of list: ListKey, startingAt version: Version) throws -> Int64 {
    let next = try Int64.fetchOne(
      db,
      sql: """
        UPDATE lists SET \(DigestedTable.lists.assignments(["head": "?1", "oldest": "?1"]))
        WHERE list_id = ?2 AND head = 0 RETURNING next_change
        """, arguments: [version.number, list.rawValue])
    guard let next else { throw StoreError.headMoved }
    return next
  }

  private func write(
    _ count: Int, _ nextItem: () throws -> Item, to list: ListKey, from firstChange: Int64
  ) throws -> [StoredItem] {
    var log = try LogWriter(reader: self, list: list, firstChange: firstChange)
    var items: [StoredItem] = []
    for index in 0..<count {
      items.append(try log.write(.init(to: index, element: nextItem())).element)
    }
    try setNextRow(log.nextSequence, of: list)
    return items
  }
}
