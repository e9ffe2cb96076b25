import ListModel
import ListStore

/// The stored order of the head.
extension PostgresReader {
  func headOrder(of list: ListRecord) throws -> HeadOrder? {
    let count = try itemCount(at: list.head, of: list.key)
    if headParts[list.key] == nil {
      // The items of a short list come with its parts.
      askHeadParts(of: list.key, withData: count <= Self.shortCount)
      try connection.flush()
    }
    let parts = headParts[list.key] ?? []
    if parts.isEmpty, count > 0 { return nil }
    let order = HeadOrder(stored: parts) { [self] ranks in
      let missing = ranks.filter { headItems[list.key]?[$0] == nil }
      if !missing.isEmpty {
        askPartItems(ranks: missing, of: list.key)
        try connection.flush()
      }
      defer { for rank in missing { headItems[list.key]?[rank] = nil } }
      return ranks.map { headItems[list.key]?[$0] ?? [] }
    }
    guard order.count == count else {
      throw StoreError.corrupt(
        reason: "the stored order of \(list.name) has \(order.count) of \(count) items")
    }
    return order
  }

  private static let shortCount = 8192

  /// Asks for the parts together with the next question, to be kept.
  private func askHeadParts(of list: ListKey, withData: Bool) {
    (headParts[list], headItems[list]) = ([], [:])
    connection.ask(
      headPartsQuery("list_id = $1", withData: withData), [Value(list)]
    ) { [self] row in
      try headParts[list, default: []].append(Self.headPart(row))
      guard withData else { return }
      headItems[list, default: [:]][row.integer(1)] = try Self.items(of: row.bytes(5), in: list)
    }
  }

  /// Asks for the head of a short list together with the next question. Whoever reads steps up to
  /// an older version of such a list compares it with the head.
  func askHeadOfShortList(behind version: Version, of list: ListKey) {
    guard !(self is PostgresWriter), headParts[list] == nil, let head = known[list]?.record.head,
      version < head, let row = versionRows[list]?[head.number],
      row.record.count <= Self.comparedCount
    else { return }
    askHeadParts(of: list, withData: true)
  }

  /// Two versions of such a list are compared, since that costs less than composing many steps.
  private static let comparedCount = 512

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

  /// Asks for the data of parts, which has a digest of its own, together with the next question, to
  /// be kept.
  func askPartItems(ranks: [Int64], of list: ListKey) {
    connection.ask(
      """
      SELECT rank, data FROM \(name(.headParts)) WHERE list_id = $1 AND rank = ANY($2::bigint[])
      """, [Value(list), .integers(ranks)]
    ) { [self] row in
      headItems[list, default: [:]][row.integer(0)] = try Self.items(of: row.bytes(1), in: list)
    }
  }
}

extension PostgresWriter {
  /// Stores the parts that changed.
  func write(_ order: inout HeadOrder, of list: ListKey) throws {
    (headParts[list], headItems[list]) = (nil, nil)
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
