import ListModel

/// The storing of packed rows. Blocks are stored first, in several transactions if necessary; they
/// are not read before their slice is stored. Plain rows that were packed may stay for a while, but
/// are no longer read.
extension ListWriter {
  public func store(_ blocks: [PackedBlock], of packing: Packing) throws {
    for block in blocks {
      try insert(
        StoredRow(
          of: .blocks,
          [LogValue(packing.list), .integer(block.number), LogValue(block.byteCount)],
          data: block.data),
        into: .blocks)
    }
  }

  /// Replaces rows by the slice that was made from them. All its blocks must be stored.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has packed, pruned or dropped the list
  ///   since.
  public func install(_ packing: Packing) throws {
    try install(packing, whileOldest: packing.oldest)
  }

  func install(_ packing: Packing, whileOldest oldest: Version) throws {
    guard let new = packing.slice else { preconditionFailure("the last blocks were made") }
    let list = packing.list
    let row = try lockedRow(of: list)
    let blocks = new.blocks
    var storedCount = 0
    try visit(.blocks, blocks.map { RowKey(list, $0) }, includesData: false) { _, _ in
      storedCount += 1
    }
    guard row.firstPlain == packing.firstPlain, row.oldest == oldest,
      row.nextChange >= new.changes.upperBound, storedCount == blocks.count,
      try slices(of: list, overlapping: new.changes) == packing.replaced
    else { throw StoreError.headMoved }
    for slice in packing.replaced {
      let first = slice.changes.lowerBound
      try engineWriter.delete(RowRange(of: .slices, in: list, from: first, through: first))
    }
    let changes = new.changes
    try insert(
      StoredRow(
        of: .slices, [LogValue(list), .integer(changes.lowerBound), .integer(changes.upperBound)],
        data: new.data),
      into: .slices)
    try update(list) { $0.firstPlain = max($0.firstPlain, changes.upperBound) }
    (slices[list], lastSteps) = (nil, nil)
  }

  /// Deletes some plain rows that were packed, and some blocks that belong to no slice.
  ///
  /// - Returns: whether there may be more to delete.
  public func deletePacked(of list: ListKey, limit: Int = 4096) throws -> Bool {
    let firstPlain = try lockedRow(of: list).firstPlain
    if firstPlain > 1 {
      let rows = RowRange(of: .changes, in: list, through: firstPlain - 1)
      // Their texts are not read: they may be long.
      if let first = try first(rows, read: { $0.integer(1) }) {
        let last = min(first + Int64(limit), firstPlain) - 1
        try engineWriter.delete(RowRange(of: .changes, in: list, through: last))
        return true
      }
    }
    let used = Set(try slices(of: list).flatMap(\.blocks))
    let all = try rows(RowRange(of: .blocks, in: list).withoutData) { $0.integer(1) }
    let unused = all.filter { !used.contains($0) }
    for block in unused.prefix(limit) {
      try engineWriter.delete(RowRange(of: .blocks, in: list, from: block, through: block))
    }
    return unused.count > limit
  }
}
