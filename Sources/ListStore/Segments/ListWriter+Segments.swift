import ListModel

/// The storing of segments. Blocks are stored first, in several transactions if necessary; they
/// are not read before their segment is stored.
extension ListWriter {
  /// Stores blocks of a merge.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has merged, pruned or dropped the list
  ///   since the merge began; `StoreError.diskFull` while there is still room for commits, and for
  ///   deleting what the merge has stored.
  public func store(_ blocks: [StoredBlock], of merge: SegmentMerge) throws {
    _ = try lockedRow(of: merge.list)
    guard try isCurrent(merge) else { throw StoreError.headMoved }
    let byteCount = blocks.reduce(Self.freeByteCount) { $0 + $1.data.count }
    guard try engineWriter.hasRoom(for: byteCount) else { throw StoreError.diskFull }
    try store(blocks, of: merge.list)
  }

  private static let freeByteCount = 16 << 20

  func store(_ blocks: [StoredBlock], of list: ListKey) throws {
    for block in blocks {
      try insert(
        StoredRow(
          of: .blocks,
          [LogValue(list), .integer(block.number), LogValue(block.byteCount)], data: block.data),
        into: .blocks)
    }
  }

  /// Makes, stores and installs a segment, and deletes the blocks of those that it replaces.
  public func carryOut(_ merge: SegmentMerge) throws {
    var merge = merge
    while case let blocks = try merge.nextBlocks(self), !blocks.isEmpty {
      try store(blocks, of: merge.list)
    }
    try install(merge)
    try delete(merge.replacedBlocks, of: merge.list)
  }

  /// Replaces segments by the one that was made from them. All its blocks must be stored.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has merged, pruned or dropped the list
  ///   since.
  public func install(_ merge: SegmentMerge) throws {
    try install(merge, whileOldest: merge.oldest)
  }

  func install(_ merge: SegmentMerge, whileOldest oldest: Version) throws {
    guard let new = merge.segment else { preconditionFailure("the last blocks were made") }
    let list = merge.list
    let row = try lockedRow(of: list)
    let blocks = new.blocks
    var storedCount = 0
    try visit(.blocks, blocks.map { RowKey(list, $0) }, includesData: false) { _, _ in
      storedCount += 1
    }
    guard row.oldest == oldest, storedCount == blocks.count,
      try segments(of: list, overlapping: new.changes) == merge.replaced
    else { throw StoreError.headMoved }
    try replace(merge.replaced, with: new, of: list)
    // A commit that was prepared before may name the segments that are gone.
    try update(list) { $0.mergeCount = ($0.mergeCount + 1) % ListRow.mergeCountLimit }
  }

  /// Stores a segment with its blocks, in place of others.
  func store(_ new: NewSegment, of list: ListKey) throws {
    try store(new.blocks, of: list)
    try replace(new.replaced, with: new.segment, of: list)
  }

  /// Exchanges rows of segments.
  func replace(_ old: [Segment], with new: Segment, of list: ListKey) throws {
    if let first = old.first?.changes.lowerBound, let last = old.last?.changes.lowerBound {
      try engineWriter.delete(RowRange(of: .segments, in: list, from: first, through: last))
    }
    let changes = new.changes
    try insert(
      StoredRow(
        of: .segments,
        [
          LogValue(list), .integer(changes.lowerBound), .integer(changes.upperBound),
          LogValue(new.unfoldedByteCount),
        ], data: new.data),
      into: .segments)
    let known = segments[list].map { segments in
      (segments.filter { !$0.changes.overlaps(changes) } + [new])
        .sorted { $0.changes.lowerBound < $1.changes.lowerBound }
    }
    forgetSegments(of: list, known: known)
  }

  /// Deletes blocks, except those that a segment has.
  public func delete(_ blocks: some Sequence<Int64>, of list: ListKey) throws {
    _ = try lockedRow(of: list)
    let used = Set(try segments(of: list).flatMap(\.blocks))
    var range: ClosedRange<Int64>?
    func deleteRange() throws {
      guard let found = range else { return }
      try engineWriter.delete(
        RowRange(of: .blocks, in: list, from: found.lowerBound, through: found.upperBound))
    }
    // A writer numbers its blocks one after the other.
    for block in blocks.sorted() where !used.contains(block) {
      if let found = range, found.upperBound == block - 1 {
        range = found.lowerBound...block
      } else {
        try deleteRange()
        range = block...block
      }
    }
    try deleteRange()
  }

  /// Returns some unused space to the system.
  ///
  /// - Returns: whether there is more to return.
  public func release(_ space: UnusedSpace) throws -> Bool { try engineWriter.release(space) }
}

extension ListReader {
  /// Returns the blocks of a list that belong to no segment. A process that is killed leaves some;
  /// those of a merge in progress belong to none, too.
  ///
  /// - Complexity: O(b) rows read for the b blocks of the list.
  public func unusedBlocks(of list: ListKey) throws -> [Int64] {
    let used = Set(try segments(of: list).flatMap(\.blocks))
    return try rows(RowRange(of: .blocks, in: list).withoutData) { $0.integer(1) }
      .filter { !used.contains($0) }
  }
}
