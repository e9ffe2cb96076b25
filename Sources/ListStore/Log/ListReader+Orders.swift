import ListModel

/// The stored orders of the head and of older versions.
extension ListReader {
  /// Returns the order of the head, whose parts are read when they are needed; nil if the stored
  /// order is missing.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - known: the number of its items; nil if it is not known yet.
  /// - Throws: `StoreError.corrupt` if the stored order has another number of items.
  /// - Complexity: O(n / 1000) rows read for a list of n items.
  public func headOrder(of list: ListRecord, count known: Int? = nil) throws -> HeadOrder? {
    if list.head == .zero { return .empty }
    let count = try known ?? itemCount(at: list.head, of: list.key)
    let opened = opened(list.key)
    let parts =
      try opened.headParts
      ?? rows(Self.parts(of: list.key)) { row in
        try HeadOrder.Part(
          stored: row.integer(1), count: Int(row.integer(2)), lowest: row.integer(3),
          highest: row.integer(4), hash: row.bytes(5))
      }
    opened.headParts = parts
    if parts.isEmpty, count > 0 { return nil }
    let order = HeadOrder(stored: parts) { try self.headParts(ranks: $0, of: list.key) }
    guard order.count == count else {
      throw StoreError.corrupt(
        reason: "the stored order of \(list.name) has \(order.count) of \(count) items")
    }
    return order
  }

  /// The query of the parts of the head that probably have some items: all parts of a short list.
  func headPartQueries(holding items: [ItemKey], in list: ListKey) -> [RowQuery] {
    guard let parts = openedLists[list]?.headParts, !items.isEmpty,
      items.count <= Self.itemsAheadCount
    else { return [] }
    let likely = parts.positions(ofAny: items.map(\.rawValue).sorted()).prefix(2 * items.count)
    let wanted = parts.count <= Self.shortCount ? parts : likely.map { parts[$0] }
    return [.rows(.headParts, wanted.compactMap(\.rank).map { RowKey(list, $0) })]
  }

  private static let itemsAheadCount = 4096
  /// The largest number of parts that are all read ahead.
  private static let shortCount = 8

  private func headParts(
    ranks: [Int64], of list: ListKey
  ) throws -> [HeadOrder.Part.Content] {
    let all = opened(list).headParts?.compactMap(\.rank) ?? []
    if all.count <= Self.shortCount {
      try readAhead([.rows(.headParts, all.map { RowKey(list, $0) })])
    }
    var contents: [HeadOrder.Part.Content?] = Array(repeating: nil, count: ranks.count)
    try visit(.headParts, ranks.map { RowKey(list, $0) }) { position, row in
      contents[position] = try HeadPartCoding.decode(row.data, of: list)
    }
    return contents.compactMap(\.self)
  }

  static func parts(of list: ListKey) -> RowRange {
    RowRange(of: .headParts, in: list).withoutData
  }

  /// Returns the newest version with a checkpoint that is not after a version; nil if there is
  /// none.
  public func newestCheckpoint(of list: ListKey, notAfter version: Version) throws -> Version? {
    let newest = try newestCheckpoint(of: list)?.version
    guard let newest, newest > version else { return newest }
    var range: RowRange = Self.newestCheckpoint(of: list)
    range.through = LogValue(version)
    return try first(range) { Version(Int($0.integer(1))) }
  }

  private func newestCheckpoint(
    of list: ListKey
  ) throws -> (version: Version, nextChange: Int64)? {
    let opened = opened(list)
    let found =
      try opened.newestCheckpoint
      ?? rows(Self.newestCheckpoint(of: list)) { (Version(Int($0.integer(1))), $0.integer(3)) }
    opened.newestCheckpoint = found
    return found.first
  }

  static func newestCheckpoint(of list: ListKey) -> RowRange {
    RowRange(of: .checkpoints, in: list, from: 1).descending(limit: 1).withoutData
  }

  /// Returns the number of the first change after the newest checkpoint; 1 if there is no
  /// checkpoint.
  func firstChangeSinceCheckpoint(of list: ListKey) throws -> Int64 {
    try newestCheckpoint(of: list)?.nextChange ?? 1
  }

  /// Returns the items of a version in order, from its checkpoint.
  ///
  /// - Throws: `StoreError.corrupt` when the checkpoint is missing or incomplete.
  public func checkpoint(at version: Version, of list: ListKey) throws -> [StoredItem] {
    let count = try itemCount(at: version, of: list)
    var items: [StoredItem] = []
    // A damaged store may have any count, so the reserved memory is limited.
    items.reserveCapacity(min(count, 1 << 20))
    let number = Int64(version.number)
    let parts = try rows(
      RowRange(of: .checkpoints, in: list, from: number, through: number)
    ) { row in
      try PartCoding.decode(
        CheckpointData.parts(row.data), of: list, upTo: count - items.count, into: &items)
      return row.integer(2)
    }
    guard items.count == count, parts.elementsEqual(0..<Int64(parts.count)) else {
      throw StoreError.corrupt(
        reason: "the checkpoint at version \(version) has \(items.count) of \(count) items")
    }
    return items
  }
}

extension ListWriter {
  /// Stores changed parts of the head, and deletes the parts with dropped ranks.
  func store(
    _ parts: [HeadOrder.Part], dropping droppedRanks: [Int64], of list: ListKey
  ) throws {
    opened(list).headParts = nil
    for rank in droppedRanks {
      try delete(RowRange(of: .headParts, in: list, from: rank, through: rank))
    }
    for part in parts {
      if let row = StoredRow(part, of: list) { try replace(row, in: .headParts) }
    }
  }

  /// Stores the order of a version, which shortens the replay of it and of later versions.
  public func writeCheckpoint(_ items: [StoredItem], at version: Version, of list: ListKey) throws {
    let number = Int64(version.number)
    opened(list).newestCheckpoint = nil
    let nextChange = try version == .zero ? 1 : firstChange(of: version.next, in: list)
    try delete(RowRange(of: .checkpoints, in: list, from: number, through: number))
    let rows = StoredRow.checkpoint(items, at: version, nextChange: nextChange, of: list)
    for row in rows { try insert(row, into: .checkpoints) }
  }
}

extension StoredRow {
  /// Makes the row of a part of the head; nil for a part whose content was not read.
  init?(_ part: HeadOrder.Part, of list: ListKey) {
    guard let rank = part.rank, let content = part.content else { return nil }
    self.init(
      of: .headParts,
      [
        LogValue(list), .integer(rank), LogValue(part.count), .integer(part.keys.lowerBound),
        .integer(part.keys.upperBound), .bytes(part.hash.bytes),
      ], data: HeadPartCoding.encode(content))
  }

  /// The number of bytes at which a row of a checkpoint ends. Several parts share such a row, which
  /// fills some pages. A row of each part alone would waste space: a page has room for only one row
  /// of little more than half its size.
  static let checkpointByteCount = 1 << 16

  /// Makes the rows of a checkpoint; one empty row for an empty list.
  static func checkpoint(
    _ items: [StoredItem], at version: Version, nextChange: Int64, of list: ListKey
  ) -> [StoredRow] {
    var (rows, data): ([StoredRow], [UInt8]) = ([], [])
    func end() {
      rows.append(
        StoredRow(
          of: .checkpoints,
          [LogValue(list), LogValue(version), LogValue(rows.count), .integer(nextChange)],
          data: CheckpointData.pack(data)))
      data = []
    }
    for start in stride(from: 0, to: items.count, by: PartCoding.maximumCount) {
      let next = min(start + PartCoding.maximumCount, items.count)
      data += PartCoding.encode(items[start..<next])
      if data.count >= checkpointByteCount, next < items.count { end() }
    }
    end()
    return rows
  }
}
