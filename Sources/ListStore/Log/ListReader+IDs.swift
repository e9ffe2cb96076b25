import ListChanges
import ListModel

/// The table in which a list finds its items by their ids.
extension ListReader {
  /// Returns the keys of items, in the order of their ids; nil for an id that was never in the
  /// list.
  public func keys(of ids: [ItemID], in list: ListKey) throws -> [ItemKey?] {
    var parts: [IDPart] = []
    return try keys(of: ids, in: list, &parts)
  }

  /// Returns the keys of items to insert, in the order of the items; nil for an item that was never
  /// in the list, which is the usual case.
  ///
  /// - Parameter parts: receives the parts of the table that have the ids, or will get them.
  func keys(
    of items: [Item], in list: ListKey, parts: inout [IDPart]
  ) throws -> [ItemKey?] {
    try keys(of: items.map(\.id), in: list, &parts, areNew: true)
  }

  /// An item that may have the id at this position.
  private typealias Candidate = (position: Int, key: ItemKey)

  /// - Parameter areNew: whether the list probably lacks the items.
  private func keys(
    of ids: [ItemID], in list: ListKey, _ parts: inout [IDPart], areNew: Bool = false
  ) throws -> [ItemKey?] {
    var keys: [ItemKey?] = Array(repeating: nil, count: ids.count)
    if try ids.isEmpty || row(of: list).nextChange == 1 { return keys }
    let hashes = ids.map(IDEntry.hash)
    let opened = opened(list)
    parts = try idParts(
      holding: Set(hashes).sorted(), of: list, andSum: areNew && !opened.hasComparedIDs)
    var candidates: [Candidate] = []
    for (position, hash) in hashes.enumerated() {
      for item in try parts.part(holding: hash).items(hash) {
        candidates.append((position, ItemKey(list, sequence: item)))
      }
    }
    let found = candidates.map(\.key)
    try readAhead(
      headPartQueries(holding: found, in: list)
        + firstBlocks(of: Self.wanted(ids: found, contents: []), in: list))
    for (candidate, id) in zip(candidates, try self.ids(of: found))
    where id == ids[candidate.position] {
      keys[candidate.position] = candidate.key
    }
    if keys.contains(nil), !opened.hasComparedIDs {
      if let fault = try digestSumFault(of: list) { throw StoreError.corrupt(reason: fault) }
      opened.hasComparedIDs = true
    }
    return keys
  }

  /// Returns the fault of a table with an outdated part, as a lost write leaves it; nil if the
  /// table has none.
  private func digestSumFault(of list: ListKey) throws -> String? {
    let sum = try ahead.idDigestSums[list.rawValue] ?? engine.idDigestSum(of: list.rawValue)
    return try sum == row(of: list).idDigests
      ? nil : "a part of the ids of a list is an older one"
  }

  /// Returns the fault of a list's table of ids; nil if the table is sound.
  ///
  /// - Complexity: O(i log i) for all i items that the list ever had.
  public func idFault(of list: ListKey) throws -> String? {
    if try row(of: list).nextChange == 1 { return nil }
    let entries = try idEntries(of: list).sorted()
    do {
      try checkDistinct(entries, of: list)
    } catch StoreError.duplicateItem {
      return "two of its items have the same id"
    }
    let parts = try rows(RowRange(of: .idParts, in: list), read: IDPart.init)
    return try parts.fault(comparedWith: entries) ?? digestSumFault(of: list)
  }

  /// Checks that no two items have the same id.
  ///
  /// - Parameter entries: the entries of the items, ascending.
  /// - Throws: `StoreError.duplicateItem` if two items have the same id.
  func checkDistinct(_ entries: [IDEntry], of list: ListKey) throws {
    for group in entries.likeGroups {
      let ids = try ids(of: group.map { ItemKey(list, sequence: $0.item) })
      guard Set(ids).count == ids.count else { throw StoreError.duplicateItem }
    }
  }

  /// Returns the existing parts that may hold some hashes, ascending, without repetitions.
  ///
  /// - Parameters:
  ///   - hashes: the hashes, ascending.
  ///   - list: their list.
  ///   - hasSum: whether the sum of the digests will be needed.
  private func idParts(
    holding hashes: [Int64], of list: ListKey, andSum hasSum: Bool
  ) throws -> [IDPart] {
    let all = RowRange(of: .idParts, in: list)
    // Reading the next part costs less than looking a part up, so many hashes are looked for in all
    // parts.
    let partCount = Int(try row(of: list).nextChange) / IDPart.targetCount
    let sum: [RowQuery] = hasSum ? [.idDigestSum(list: list.rawValue)] : []
    if hashes.count > max(Self.fewIDs, partCount) {
      try readAhead(sum)
      return try rows(all, read: IDPart.init)
    }
    let ranges = hashes.map { Self.idPart(holding: $0, of: list) }
    try readAhead(ranges.map { .range($0) } + sum)
    var parts: [IDPart] = []
    for (hash, range) in zip(hashes, ranges)
    where hash > parts.last?.last ?? -1 {
      guard let part = try first(range, read: IDPart.init) else { break }
      parts.append(part)
    }
    return parts
  }

  private static let fewIDs = 64

  static func idPart(holding hash: Int64, of list: ListKey) -> RowRange {
    RowRange(of: .idParts, in: list, from: hash).limited(to: 1)
  }

  /// Returns the ids of all rows of a list, in any order.
  func idEntries(of list: ListKey) throws -> [IDEntry] {
    var entries: [IDEntry] = []
    for segment in try segments(of: list) {
      try blocks(segment.current, of: segment, in: list) {
        _, unfolded throws(ByteReader.Malformed) in
        let block = try ContentsBlock(unfolded, stepCount: segment.stepCount)
        for entry in block.entries {
          guard let id = try block.id(of: entry) else { continue }
          let item = ItemKey(list, sequence: entry.item)
          entries.append(IDEntry(ItemID(String(decoding: id, as: UTF8.self)), item: item))
        }
      }
    }
    return entries
  }
}

extension IDPart {
  init(_ row: LogRow) throws { try self.init(last: row.integer(1), encoded: row.bytes(2)) }
}

extension ListReader {
  /// Returns the rows of the table of ids that change when the ids of new items are added.
  ///
  /// - Parameters:
  ///   - new: the entries of the new ids, ascending.
  ///   - list: their list, which has ids already.
  ///   - parts: the parts that the entries belong to, and perhaps others; ascending.
  func idRows(
    adding new: [IDEntry], to list: ListKey, in parts: [IDPart]
  ) throws -> IDRows {
    var ids = IDRows(digests: try row(of: list).idDigests)
    var rest = new[...]
    for part in parts {
      let end = rest.partitioningIndex { $0.hash > part.last }
      if end == rest.startIndex { continue }
      // Fails if the part that the entry belongs to is missing.
      _ = try [part].part(holding: rest[rest.startIndex].hash)
      ids.digests -= StoredRow(part, of: list).digest
      ids.add(part.adding(rest[..<end]), of: list)
      rest = rest[end...]
    }
    if let entry = rest.first { _ = try [IDPart]().part(holding: entry.hash) }
    return ids
  }
}

/// Rows of the table of ids, and the sum of the digests of all rows of their list.
struct IDRows: Sendable {
  private(set) var rows: [StoredRow] = []
  var digests: Int64

  init(digests: Int64) { self.digests = digests }

  /// Makes the whole table of a list.
  ///
  /// - Parameter entries: the entries, ascending.
  init(of entries: [IDEntry], _ list: ListKey) {
    self.init(digests: 0)
    add(IDPart.empty.adding(entries), of: list)
  }

  /// The table of a list that gets its first items; no rows without items.
  ///
  /// - Parameter entries: ascending.
  init(ofFirst entries: [IDEntry], _ list: ListKey) {
    self = entries.isEmpty ? IDRows(digests: 0) : IDRows(of: entries, list)
  }

  mutating func add(_ parts: [IDPart], of list: ListKey) {
    for part in parts {
      let row = StoredRow(part, of: list)
      digests += row.digest
      rows.append(row)
    }
  }
}

extension ListWriter {
  /// Builds the table of ids again, after texts of items were deleted.
  func fillIDs(of list: ListKey) throws {
    try delete(RowRange(of: .idParts, in: list))
    let ids = IDRows(of: try idEntries(of: list).sorted(), list)
    for row in ids.rows { try insert(row, into: .idParts) }
    try update(list) { $0.idDigests = ids.digests }
  }
}

extension StoredRow {
  fileprivate init(_ part: IDPart, of list: ListKey) {
    self.init(of: .idParts, [LogValue(list), .integer(part.last), .bytes(part.encoded)])
  }
}
