import ListModel
import ListStore

/// The stored order of the head.
extension PostgresReader {
  func headOrder(of list: ListRecord) throws -> HeadOrder? {
    let count = try itemCount(at: list.head, of: list.key)
    var parts = headParts[list.key] ?? []
    // The items of a short list come with its parts.
    let isShort = count <= Self.shortCount
    var items: [Int64: [StoredItem]] = [:]
    if headParts[list.key] == nil {
      try connection.query(
        headPartsQuery("list_id = $1", withData: isShort), [Value(list.key)]
      ) { row in
        parts.append(try Self.headPart(row))
        guard isShort else { return }
        items[row.integer(1)] = try Self.items(of: row.bytes(5), in: list.key)
      }
    }
    if parts.isEmpty, count > 0 { return nil }
    let order = HeadOrder(stored: parts) { [items] ranks in
      if ranks.allSatisfy({ items[$0] != nil }) { return ranks.map { items[$0] ?? [] } }
      return try self.partItems(ranks: ranks, of: list.key)
    }
    guard order.count == count else {
      throw StoreError.corrupt(
        reason: "the stored order of \(list.name) has \(order.count) of \(count) items")
    }
    return order
  }

  private static let shortCount = 8192

  func headPartsQuery(_ condition: String, withData: Bool = false) -> String {
    let columns = withData ? Table.headParts.columnNames : columns(of: .headParts)
    return "SELECT \(columns) FROM \(name(.headParts)) WHERE \(condition) ORDER BY rank"
  }

  private static func items(of data: [UInt8], in list: ListKey) throws -> [StoredItem] {
    var items: [StoredItem] = []
    try PartCoding.decode(data, of: list, into: &items)
    return items
  }

  static func headPart(_ row: ResultRow) throws -> HeadOrder.Part {
    let row = try SoundRow(row, of: .headParts)
    return try HeadOrder.Part(
      stored: row.integer(1), count: Int(row.integer(2)), lowest: row.integer(3),
      highest: row.integer(4))
  }

  /// Reads the data of parts, which has a digest of its own.
  private func partItems(ranks: [Int64], of list: ListKey) throws -> [[StoredItem]] {
    var parts: [Int64: [StoredItem]] = [:]
    try connection.query(
      """
      SELECT rank, data FROM \(name(.headParts)) WHERE list_id = $1 AND rank = ANY($2::bigint[])
      """, [Value(list), .integers(ranks)]
    ) { row in
      parts[row.integer(0)] = try Self.items(of: row.bytes(1), in: list)
    }
    return ranks.map { parts[$0] ?? [] }
  }
}

extension PostgresWriter {
  /// Stores the parts that changed.
  func write(_ order: inout HeadOrder, of list: ListKey) throws {
    headParts[list] = nil
    try order.rankParts()
    let changed = order.parts.filter(\.isChanged)
    let ranks = order.droppedRanks + changed.compactMap(\.rank)
    if !ranks.isEmpty {
      connection.queue(
        "DELETE FROM \(name(.headParts)) WHERE list_id = $1 AND rank = ANY($2::bigint[])",
        [Value(list), .integers(ranks)])
    }
    try insertMany(
      into: .headParts,
      changed.compactMap { part in
        guard let rank = part.rank, let items = part.items else { return nil }
        return (
          [
            Value(list), .integer(rank), Value(part.count), .integer(part.keys.lowerBound),
            .integer(part.keys.upperBound),
          ], .bytes(PartCoding.encode(items[...]))
        )
      })
    order.recordStored()
  }
}
