import ListModel

/// The storing of segments. Blocks are stored first, in several transactions if necessary; they
/// are not read before their segment is stored.
extension ListWriter {
  /// Stores blocks of a merge.
  ///
  /// - Throws: `StoreError.headMoved` if another writer has merged, pruned or dropped the list
  ///   since the merge began; `StoreError.diskFull` while there is still room for deleting what the
  ///   merge has stored, and for commits if it is not one itself.
  public func store(_ blocks: [StoredBlock], of merge: SegmentMerge) throws {
    _ = try lockedRow(of: merge.list)
    guard try isCurrent(merge) else { throw StoreError.headMoved }
    try checkRoom(
      for: blocks.reduce(0) { $0 + $1.data.count },
      leaving: merge.isOfCommit ? Self.byteCountToDelete : 4 << 20)
    try store(blocks, of: merge.list)
  }

  /// The room that the deletion of stored rows needs.
  static let byteCountToDelete = 1 << 20

  func checkRoom(for byteCount: Int, leaving rest: Int) throws {
    guard try engineWriter.hasRoom(for: byteCount + rest) else { throw StoreError.diskFull }
  }

  func store(_ blocks: [StoredBlock], of list: ListKey) throws {
    for block in blocks { try insert(StoredRow(block, of: list), into: .blocks) }
  }

  /// Makes, stores and installs a segment, and deletes the blocks of those that it replaces.
  public func execute(_ merge: SegmentMerge) throws {
    _ = try lockedRow(of: merge.list)
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
    guard row.oldest == oldest, try areStored(new.blocks, of: list),
      try segments(of: list, overlapping: new.changes) == merge.replaced
    else { throw StoreError.headMoved }
    try replace(merge.replaced, with: new, of: list)
    // A commit that was prepared before may name the segments that are gone.
    try update(list) { $0.mergeCount = ($0.mergeCount + 1) % ListRow.mergeCountLimit }
  }

  /// Stores the changes of new versions: their segment in place of others, whose blocks it deletes.
  ///
  /// - Parameters:
  ///   - merge: a merge that has new changes. If it is not finished, it is made now.
  ///   - blocks: the blocks of the merge that are not stored yet.
  /// - Throws: `StoreError.headMoved` if another writer has deleted stored blocks.
  func store(_ merge: SegmentMerge, _ blocks: [StoredBlock] = []) throws {
    var (merge, blocks) = (merge, blocks)
    if merge.segment == nil { blocks = try merge.allBlocks(self) }
    guard let new = merge.segment else { preconditionFailure("the last blocks were made") }
    let list = merge.list
    guard try blocks.count == new.blocks.count || areStored(new.blocks, of: list) else {
      throw StoreError.headMoved
    }
    try store(blocks, of: list)
    try replace(merge.replaced, with: new, of: list)
    try delete(unused: merge.replacedBlocks, of: list)
  }

  private func areStored(_ blocks: [Int64], of list: ListKey) throws -> Bool {
    var count = 0
    try visit(.blocks, blocks.map { RowKey(list, $0) }, includesData: false) { _, _ in count += 1 }
    return count == blocks.count
  }

  /// Exchanges rows of segments.
  func replace(_ old: [Segment], with new: Segment, of list: ListKey) throws {
    let (changes, behindFirst) = (new.changes, old.dropFirst())
    if let first = behindFirst.first?.changes.lowerBound,
      let last = behindFirst.last?.changes.lowerBound
    {
      try delete(RowRange(of: .segments, in: list, from: first, through: last))
    }
    let row = StoredRow(
      of: .segments,
      [
        LogValue(list), .integer(changes.lowerBound), .integer(changes.upperBound),
        LogValue(new.unfoldedByteCount),
      ], data: new.data)
    if old.isEmpty { try insert(row, into: .segments) } else { try replace(row, in: .segments) }
    let known = opened(list).segments.map { segments in
      (segments.filter { !$0.changes.overlaps(changes) } + [new])
        .sorted { $0.changes.lowerBound < $1.changes.lowerBound }
    }
    forgetSegments(of: list, known: known)
  }

  /// Deletes blocks, except those that a segment has.
  public func delete(_ blocks: some Sequence<Int64>, of list: ListKey) throws {
    _ = try lockedRow(of: list)
    let used = Set(try segments(of: list).flatMap(\.blocks))
    try delete(unused: blocks.filter { !used.contains($0) }, of: list)
  }

  private func delete(unused blocks: [Int64], of list: ListKey) throws {
    var range: ClosedRange<Int64>?
    func deleteRange() throws {
      guard let found = range else { return }
      try delete(
        RowRange(of: .blocks, in: list, from: found.lowerBound, through: found.upperBound))
    }
    // A writer numbers its blocks one after the other.
    for block in blocks.sorted() {
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

extension StoredRow {
  init(_ block: StoredBlock, of list: ListKey) {
    self.init(
      of: .blocks, [LogValue(list), .integer(block.number), LogValue(block.byteCount)],
      data: block.data)
  }
}
