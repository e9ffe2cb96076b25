import ListChanges
import ListModel

/// The making of a slice, to replace plain rows and older slices.
///
/// Blocks are made a few at a time, in a transaction each, and are stored before the next ones are
/// made. So memory is bounded in bytes, whatever the list. Each item's texts are read from the
/// newest to the oldest.
///
/// Memory: about a megabyte of blocks, two blocks of each older slice, and what `PlainTouches`
/// needs; a few times the longest text; 16 bytes for each item of the head, and 8 for each step.
public struct Packing: Sendable {
  /// The largest number of slices that are joined at once.
  static let joinedCount = 16
  /// The number of bytes at which blocks are stored.
  private static let storedByteCount = 1 << 20
  /// The number of rows whose steps are packed before the blocks are looked at again.
  private static let rowCount: Int64 = 4096

  public let list: ListKey
  /// The first plain row and the oldest version of the list when the rows were read.
  let (firstPlain, oldest): (Int64, Version)
  /// The changes in the slice.
  let changes: Range<Int64>
  /// The version of the first change in the slice.
  public let firstVersion: Version
  /// The slices that the new one replaces.
  let replaced: [Slice]
  /// Whether another packing must follow, since one with all changes would need more memory or work
  /// than it may.
  public let isPartial: Bool

  private let starts: [Int64]
  private let firstStep: Int64
  /// The texts to keep that were written before the list's first step; nil to keep all.
  private let pruned: KeptTexts?
  private var head: HeadContents
  /// Where texts come from: the sources of the newest changes first.
  private var sources: [any TouchSource]
  private var writer: SliceWriter
  private var item: PackedItem?
  private var nextRow: Int64
  /// The new slice; nil before its last block is made.
  private(set) var slice: Slice?

  /// An item whose texts are being packed.
  private struct PackedItem {
    let item: Int64
    var source = 0
    let id: [UInt8]?
    /// The steps whose texts are kept although they are pruned; nil if all texts are kept.
    let keptSteps: Set<Int>?
    /// The step of the last change that was left out.
    var leftOut: Int?
    var isWritten = false
  }

  /// The number of plain rows that are packed.
  public var packedCount: Int { Int(max(changes.upperBound - firstPlain, 0)) }
  /// The number of changes from the slices that are replaced.
  public var repackedCount: Int { Int(min(firstPlain, changes.upperBound) - changes.lowerBound) }

  /// - Parameters:
  ///   - plain: the plain rows after the replaced slices.
  ///   - replaced: slices that follow each other.
  init(
    of list: ListRecord, _ plain: PlainRows, replacing replaced: [Slice], firstStep: Int64,
    pruned: KeptTexts?, isPartial: Bool, _ reader: ListReader
  ) throws {
    let row = try reader.row(of: list.key)
    (self.list, firstPlain, oldest) = (list.key, row.firstPlain, row.oldest)
    let end = plain.range.isEmpty ? replaced.last?.changes.upperBound : plain.range.upperBound
    let start = replaced.first?.changes.lowerBound ?? plain.range.lowerBound
    changes = start..<(end ?? start)
    (self.replaced, self.pruned, self.isPartial) = (replaced, pruned, isPartial)
    self.firstStep = min(max(start, firstStep), changes.upperBound)
    firstVersion = try reader.version(of: start, in: list.key)
    var (starts, offsets) = ([Int64](), [Int]())
    for slice in replaced {
      offsets.append(starts.count)
      starts += try reader.starts(of: slice, in: list.key)
    }
    starts += plain.pruned
    let plainSteps = max(plain.range.lowerBound, firstStep)
    if plainSteps < plain.range.upperBound {
      starts += try reader.firstChanges(plainSteps..<plain.range.upperBound, of: list.key)
    }
    self.starts = starts
    sources = [PlainTouches(plain, of: list.key, starts: starts)]
    sources += zip(replaced, offsets).reversed().map { slice, offset in
      SliceTouches(of: slice, in: list.key, offset: offset)
    }
    head = try HeadContents(of: list, changes, reader)
    writer = try SliceWriter(of: changes, starts: starts, firstStep: self.firstStep)
    nextRow = self.firstStep
  }

  /// Makes the next blocks, which must be stored before more are made.
  ///
  /// - Parameters:
  ///   - reader: any transaction.
  ///   - checkCancellation: called often; an error that it throws ends the packing.
  /// - Returns: the blocks; none after the last ones.
  /// - Throws: `StoreError.headMoved` if another writer has packed, pruned or dropped the list
  ///   since.
  public mutating func nextBlocks(
    _ reader: ListReader, checkCancellation: () throws -> Void = {}
  ) throws -> [PackedBlock] {
    guard try reader.isCurrent(self) else { throw StoreError.headMoved }
    while slice == nil, writer.finishedByteCount < Self.storedByteCount {
      try checkCancellation()
      if item == nil { item = try nextItem(reader) }
      if item != nil {
        try packNextText(reader)
      } else if nextRow < changes.upperBound {
        let end = min(nextRow + Self.rowCount, changes.upperBound)
        try reader.changeRows(nextRow..<end, of: list) { try writer.add($0) }
        nextRow = end
      } else {
        slice = try writer.finish()
      }
    }
    return writer.takeFinished()
  }

  private mutating func nextItem(_ reader: ListReader) throws -> PackedItem? {
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
      if contents == nil { id = nil }
      keptSteps = Set((contents ?? []).map { rank(of: $0, item) })
    }
    let content = head.content(of: item)
    try writer.begin(item, id: id, front: content.map { rank(of: $0, item) })
    return PackedItem(item: item, id: id, keptSteps: keptSteps)
  }

  /// Returns the position of the step that wrote a content; -1 for the one that introduced the
  /// item.
  private func rank(of content: Int64, _ item: Int64) -> Int {
    content == item ? -1 : step(of: content)
  }

  private func step(of change: Int64) -> Int { starts.partitioningIndex { $0 > change } - 1 }

  private mutating func packNextText(_ reader: ListReader) throws {
    guard var item else { return }
    while item.source < sources.count {
      guard try sources[item.source].item(reader) == item.item,
        let touch = try sources[item.source].next(reader)
      else {
        item.source += 1
        continue
      }
      let isPruned = touch.step.map({ starts[$0] }) ?? item.item < firstStep
      if isPruned, let kept = item.keptSteps,
        touch.text == nil || !kept.contains(touch.step ?? -1)
      {
        item.leftOut = touch.step ?? step(of: item.item)
      } else {
        try writer.add(touch)
        item.isWritten = true
      }
      self.item = item
      return
    }
    // An item of which only the id is referenced needs an entry for it.
    if !item.isWritten, item.id != nil, let step = item.leftOut { try writer.add((step, nil)) }
    try writer.endItem()
    self.item = nil
  }
}

/// A block to store.
public struct PackedBlock: Sendable {
  let number: Int64
  /// The number of bytes that the block unfolds to: see ``UnfoldedBlock``.
  let byteCount: Int
  public let data: [UInt8]
}

/// The contents of the head that some changes wrote, by item. Items must be asked for in ascending
/// order.
private struct HeadContents: Sendable {
  private let items: [(item: Int64, content: Int64)]
  private var position = 0

  init(of list: ListRecord, _ changes: Range<Int64>, _ reader: ListReader) throws {
    let order = try reader.headOrder(of: list)
    items = try (order?.items() ?? []).map { ($0.id.sequence, $0.content.sequence) }
      .filter { changes.contains($0.1) }.sorted { $0.0 < $1.0 }
  }

  /// Returns the change that wrote the content of an item; nil if none of the changes did.
  mutating func content(of item: Int64) -> Int64? {
    while position < items.count, items[position].item < item { position += 1 }
    return position < items.count && items[position].item == item ? items[position].content : nil
  }
}

extension ListReader {
  /// Returns whether a packing replaces what the list has now.
  fileprivate func isCurrent(_ packing: Packing) throws -> Bool {
    let row = try row(of: packing.list)
    return try row.firstPlain == packing.firstPlain && row.oldest == packing.oldest
      && slices(of: packing.list, overlapping: packing.changes) == packing.replaced
  }

  func slices(of list: ListKey, overlapping changes: Range<Int64>) throws -> [Slice] {
    try slices(of: list).filter { $0.changes.overlaps(changes) }
  }

  /// Returns the first changes of the steps that some changes belong to, ascending, beginning with
  /// the first of the changes.
  fileprivate func firstChanges(_ changes: Range<Int64>, of list: ListKey) throws -> [Int64] {
    var range = RowRange(.versionsByFirstChange, prefix: [LogValue(list)])
    range.from = .integer(changes.lowerBound + 1)
    range.through = .integer(changes.upperBound - 1)
    return try rows(range) { try VersionRow($0).firstChange }
      .reduce(into: [changes.lowerBound]) { if $0.last != $1 { $0.append($1) } }
  }
}
