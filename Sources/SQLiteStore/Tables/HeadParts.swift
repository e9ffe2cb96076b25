import ListModel
import ListStore
import RawSQLite

/// The stored order of the head.
extension StoreReader {
  func headOrder(of list: ListRecord) throws -> HeadOrder? {
    let parts = try rows(
      of: .headParts, "rank, item_count, lowest_item, highest_item",
      "WHERE list_id = ? ORDER BY rank", RawValue(list.key)
    ) { row in
      try HeadOrder.Part(
        stored: row.integer(0), count: Int(row.integer(1)), lowest: row.integer(2),
        highest: row.integer(3))
    }
    let count = try itemCount(at: list.head, of: list.key)
    if parts.isEmpty, count > 0 { return nil }
    let order = HeadOrder(stored: parts) { try self.partItems(ranks: $0, of: list.key) }
    guard order.count == count else {
      throw StoreError.corrupt(
        reason: "the stored order of \(list.name) has \(order.count) of \(count) items")
    }
    return order
  }

  /// Reads the data of parts, which has a digest of its own.
  private func partItems(ranks: [Int64], of list: ListKey) throws -> [[StoredItem]] {
    let statement = try RawStatement(
      self, "SELECT data FROM head_parts WHERE list_id = ? AND rank = ?")
    defer { statement.reset() }
    return try ranks.map { rank in
      statement.reset()
      statement.bind(list.rawValue, at: 1)
      statement.bind(rank, at: 2)
      var items: [StoredItem] = []
      if try statement.step() {
        try PartCoding.decode(statement.bytes(0), of: list, into: &items)
      }
      return items
    }
  }
}

extension StoreWriter {
  /// Stores the parts that changed.
  func write(_ order: inout HeadOrder, of list: ListKey) throws {
    try order.rankParts()
    let deletion = try RawStatement(self, "DELETE FROM head_parts WHERE list_id = ? AND rank = ?")
    for rank in order.droppedRanks { try deletion.run(RawValue(list), .integer(rank)) }
    for part in order.parts where part.isChanged {
      guard let rank = part.rank, let items = part.items else { continue }
      try insert(
        into: .headParts, RawValue(list), .integer(rank), RawValue(part.count),
        .integer(part.keys.lowerBound), .integer(part.keys.upperBound),
        .blob(PartCoding.encode(items[...])))
    }
    order.recordStored()
  }
}
