import ListChanges
import ListModel

/// The making of a segment from others that follow each other, and from new steps.
///
/// Blocks are made a few at a time, in a transaction each, and are stored before the next ones are
/// made. So memory is bounded in bytes, whatever the list. Each item's texts are read from the
/// newest to the oldest.
///
/// Memory: about a megabyte of blocks; two blocks and the texts of an entry, up to 4 MB, of each
/// older segment; the new steps; a few times the longest text; and 8 bytes for each step.
public struct SegmentMerge: Sendable {
  /// The largest number of segments that are joined at once.
  static let joinedCount = 16
  /// The number of bytes at which blocks are stored.
  private static let storedByteCount = 1 << 20
  /// The number of rows whose steps are written before the blocks are looked at again.
  private static let rowCount: Int64 = 4096

  public let list: ListKey
  /// The oldest version of the list when the segments were read.
  let oldest: Version
  /// The changes in the new segment.
  let changes: Range<Int64>
  /// The segments that the new one replaces.
  let replaced: [Segment]
  /// Whether another merge must follow, since one with all segments would need more memory.
  public let isPartial: Bool

  private let starts: [Int64]
  private let firstStep: Int64
  /// The texts to keep that were written before the list's first step; nil to keep all.
  private let pruned: KeptTexts?
  /// Where texts come from: the sources of the newest changes first.
  private var sources: [any RevisionSource]
  private var writer: SegmentWriter
  private var item: MergedItem?
  private var nextRow: Int64
  /// The rows of the new steps.
  private var newRows: ArraySlice<NewChange>
  /// The new segment; nil before its last block is made.
  private(set) var segment: Segment?

  /// An item whose texts are being merged.
  private struct MergedItem {
    let item: Int64
    var source = 0
    let id: [UInt8]?
    /// The steps whose texts are kept although they are pruned; nil if all texts are kept.
    let keptSteps: Set<Int>?
    /// The step of the last change that was left out.
    var leftOut: Int?
    var isWritten = false
  }

  /// Whether all its blocks were made.
  var isFinished: Bool { segment != nil }
  /// Whether it has the changes of new versions.
  let isOfCommit: Bool
  /// The list's count of merges when the segments were read.
  fileprivate let mergeCount: Int64
  /// The number of segments that become one.
  public var replacedCount: Int { replaced.count }
  /// Whether the segments are so short that one transaction can merge and store them.
  public var isShort: Bool { replaced.reduce(0) { $0 + $1.byteCount } <= Self.shortByteCount }
  private static let shortByteCount = 1 << 20
  /// Whether the segments that the list has after a commit should be merged.
  var leavesMergeDue = false
  /// Whether the new segment has all changes of the list up to its end.
  public var isFromFirst: Bool { changes.lowerBound == 1 }
  /// The rows of `blocks` that nothing needs after the merge.
  public var replacedBlocks: [Int64] { replaced.flatMap(\.blocks) }
  /// The rows of `blocks` that the merge has made so far.
  public var newBlocks: Range<Int64> { writer.blocks }

  /// - Parameters:
  ///   - list: a list.
  ///   - replaced: segments that follow each other.
  ///   - new: the changes of the next versions, which follow the last segment.
  ///   - newStarts: the first change of each of these versions.
  ///   - firstStep: the first change of the first step that the list keeps.
  init(
    of list: ListKey, replacing replaced: [Segment], with new: [NewChange] = [],
    starts newStarts: [Int64] = [], firstStep: Int64, pruned: KeptTexts? = nil,
    isPartial: Bool = false, _ reader: ListReader
  ) throws {
    let row = try reader.row(of: list)
    (self.list, oldest, newRows) = (list, row.oldest, new[...])
    (isOfCommit, mergeCount) = (!new.isEmpty, row.mergeCount)
    let firstNew = new.first?.row.sequence ?? replaced.last?.changes.upperBound ?? row.nextChange
    let start = replaced.first?.changes.lowerBound ?? firstNew
    changes = start..<firstNew + Int64(new.count)
    (self.replaced, self.pruned, self.isPartial) = (replaced, pruned, isPartial)
    self.firstStep = min(max(start, firstStep), firstNew)
    var (starts, offsets) = ([Int64](), [Int]())
    for segment in replaced {
      offsets.append(starts.count)
      starts += try reader.starts(of: segment, in: list)
    }
    sources = zip(replaced, offsets).reversed().map { segment, offset in
      SegmentRevisions(of: segment, in: list, offset: offset)
    }
    if !new.isEmpty {
      sources.insert(StepRevisions(new, starts: newStarts, firstStep: starts.count), at: 0)
      starts += newStarts
    }
    self.starts = starts
    writer = try SegmentWriter(of: changes, starts: starts, firstStep: self.firstStep)
    nextRow = self.firstStep
  }

  /// Makes the next blocks, which must be stored before more are made.
  ///
  /// - Parameters:
  ///   - reader: any transaction.
  ///   - checkCancellation: called often; an error that it throws ends the merge.
  /// - Returns: the blocks; none after the last ones.
  /// - Throws: `StoreError.headMoved` if another writer has replaced the segments since.
  public mutating func nextBlocks(
    _ reader: ListReader, checkCancellation: () throws -> Void = {}
  ) throws -> [StoredBlock] {
    guard try reader.isCurrent(self) else { throw StoreError.headMoved }
    while segment == nil, writer.finishedByteCount < Self.storedByteCount {
      try checkCancellation()
      if item == nil { item = try nextItem(reader) }
      if item != nil {
        try mergeNextText(reader)
      } else if nextRow < changes.upperBound {
        try writeRows(reader)
      } else {
        segment = try writer.finish()
      }
    }
    return writer.takeFinished()
  }

  /// Makes all blocks, of a merge that is short.
  mutating func allBlocks(_ reader: ListReader) throws -> [StoredBlock] {
    var all: [StoredBlock] = []
    while case let blocks = try nextBlocks(reader), !blocks.isEmpty { all += blocks }
    return all
  }

  private mutating func writeRows(_ reader: ListReader) throws {
    if let first = newRows.first, nextRow == first.row.sequence {
      let rows = newRows.prefix(Int(Self.rowCount))
      for new in rows { try writer.add(new.row) }
      newRows = newRows.dropFirst(rows.count)
      nextRow += Int64(rows.count)
    } else {
      let last = newRows.first?.row.sequence ?? changes.upperBound
      let end = min(nextRow + Self.rowCount, last)
      try reader.changeRows(nextRow..<end, of: list) { try writer.add($0) }
      nextRow = end
    }
  }

  private mutating func nextItem(_ reader: ListReader) throws -> MergedItem? {
    var next: Int64?
    for source in sources.indices {
      if let item = try sources[source].item(reader) { next = min(next ?? item, item) }
    }
    guard let item = next else { return nil }
    var id: [UInt8]?
    for source in sources.indices where try id == nil && sources[source].item(reader) == item {
      id = try sources[source].id(reader)
    }
    var keptSteps: Set<Int>?
    if let pruned {
      let contents = pruned.contents[item]
      if contents == nil, item < firstStep { id = nil }
      keptSteps = Set((contents ?? []).map { $0 == item ? -1 : step(of: $0) })
    }
    try writer.begin(item, id: id)
    return MergedItem(item: item, id: id, keptSteps: keptSteps)
  }

  private func step(of change: Int64) -> Int { starts.partitioningIndex { $0 > change } - 1 }

  private mutating func mergeNextText(_ reader: ListReader) throws {
    guard var item else { return }
    while item.source < sources.count {
      guard try sources[item.source].item(reader) == item.item,
        let revision = try sources[item.source].next(reader)
      else {
        item.source += 1
        continue
      }
      let isPruned = revision.step.map({ starts[$0] }) ?? item.item < firstStep
      if isPruned, let kept = item.keptSteps,
        revision.text == nil || !kept.contains(revision.step ?? -1)
      {
        item.leftOut = revision.step ?? step(of: item.item)
      } else {
        try writer.add(revision)
        item.isWritten = true
      }
      self.item = item
      return
    }
    // An item of which only the id is referenced needs an entry for it.
    if !item.isWritten, item.id != nil, let step = item.leftOut { try writer.add((step, nil)) }
    writer.endItem()
    self.item = nil
  }
}

extension ListReader {
  /// Returns whether a merge replaces what the list has now.
  func isCurrent(_ merge: SegmentMerge) throws -> Bool {
    let row = try row(of: merge.list)
    // The commit compares the whole row in the end.
    if merge.isOfCommit, row.mergeCount != merge.mergeCount { return false }
    return try row.oldest == merge.oldest
      && segments(of: merge.list, overlapping: merge.changes) == merge.replaced
  }

  func segments(of list: ListKey, overlapping changes: Range<Int64>) throws -> [Segment] {
    try segments(of: list).filter { $0.changes.overlaps(changes) }
  }
}
