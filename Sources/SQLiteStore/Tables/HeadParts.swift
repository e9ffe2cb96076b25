import ListModel
import ListStore
import RawSQLite

/// The newest version in order, as it is stored.
extension StoreReader {
  func headOrder(of list: ListRecord) throws -> HeadOrder? {
    let statement = try RawStatement(
      self,
      """
      SELECT rank, item_count, lowest_item, highest_item, \(DigestedTable.headParts.isSound)
      FROM head_parts
      WHERE list_id = ? ORDER BY rank
      """)
    statement.bind(list.key.rawValue, at: 1)
    defer { statement.reset() }
    var parts: [HeadOrder.Part] = []
    while try statement.step() {
      guard statement.integer(4) == 1 else { throw DigestedTable.headParts.damage }
      parts.append(
        try HeadOrder.Part(
          stored: statement.integer(0), count: Int(statement.integer(1)),
          lowest: statement.integer(2), highest: statement.integer(3)))
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
    for rank in order.droppedRanks {
      deletion.bind(list.rawValue, at: 1)
      deletion.bind(rank, at: 2)
      try deletion.run()
    }
    let insertion = try RawStatement(
      self, DigestedTable.headParts.insertion(replaces: true, other: ["data"]))
    for part in order.parts where part.isChanged {
      guard let rank = part.rank, let items = part.items else { continue }
      insertion.bind(list.rawValue, at: 1)
      insertion.bind(rank, at: 2)
      insertion.bind(Int64(part.count), at: 3)
      insertion.bind(part.keys.lowerBound, at: 4)
      insertion.bind(part.keys.upperBound, at: 5)
      insertion.bind(blob: PartCoding.encode(items[...]), at: 6)
      try insertion.run()
    }
    order.noteStored()
  }
}
