import ListChanges
import ListModel

/// A new slice, to replace plain rows and older slices.
public struct Packing: Sendable {
  public let list: ListKey
  /// The first plain row and the oldest version of the list when the rows were read.
  let (firstPlain, oldest): (Int64, Version)
  /// The version of the first change in the slice.
  public let firstVersion: Version
  let slice: Slice
  /// The slices that the new one replaces.
  let replaced: [Slice]
  /// The blocks of the new slice, by their numbers.
  public let blocks: [PackedBlock]

  /// The number of plain rows that were packed.
  public var packedCount: Int { Int(slice.changes.upperBound - firstPlain) }
  /// The number of changes from the slices that are replaced.
  public var repackedCount: Int { Int(firstPlain - slice.changes.lowerBound) }
}

/// A block to store.
public struct PackedBlock: Sendable {
  let number: Int64
  /// The number of bytes that the block unfolds to: see ``UnfoldedBlock``.
  let byteCount: Int
  public let data: [UInt8]
}

/// The rule for when a list packs its plain rows by itself.
package enum PackingRule {
  /// The smallest number of plain rows that are packed. Fewer rows take little room.
  package static let leastPlainCount: Int64 = 4096
  /// The number of packed rows that take about as many bytes as one plain row.
  private static let weight: Int64 = 8

  /// Returns whether the plain rows take more bytes than the packed ones.
  ///
  /// - Parameter moreFollow: whether many versions will follow at once. The plain rows must then be
  ///   as many as the packed ones, so that few changes are packed twice.
  static func isDue(plainCount: Int64, packedCount: Int64, moreFollow: Bool) -> Bool {
    plainCount >= max(leastPlainCount, moreFollow ? packedCount : packedCount / weight)
  }
}

extension ListReader {
  /// Packs the plain rows of a list. Joins the new slice with older slices that are less than twice
  /// as long. So each change is packed at most log n times, and a list has at most log n slices.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - isWhole: whether the new slice is joined with all older ones.
  ///   - checkCancellation: called for each item; an error that it throws ends the packing.
  /// - Returns: the new slice; nil if there is nothing to pack.
  /// - Complexity: O(n + c log c) for n items of the head and the c changes of the slice; memory
  ///   for the plain rows, and for the blocks.
  public func packing(
    of list: ListRecord, isWhole: Bool = false, checkCancellation: () throws -> Void = {}
  ) throws -> Packing? {
    try packing(of: list, isWhole: isWhole, pruned: nil, checkCancellation)
  }

  /// - Parameter pruned: the texts to keep that were written before the list's first step; nil to
  ///   keep all.
  func packing(
    of list: ListRecord, isWhole: Bool, pruned: KeptTexts?,
    _ checkCancellation: () throws -> Void = {}
  ) throws -> Packing? {
    let row = try row(of: list.key)
    let replaced = try joinedSlices(of: row, isWhole: isWhole)
    let start = replaced.first?.changes.lowerBound ?? row.firstPlain
    guard row.firstPlain < row.nextChange || replaced.count > 1 || pruned != nil else {
      return nil
    }
    var blocks: [PackedBlock] = []
    // Random, so that no number is used again, or by two packings at the same time.
    let first = Int64.random(in: 1...Int64.max >> 1)
    let slice = try joinedSlice(
      of: list, start..<row.nextChange, firstPlain: row.firstPlain, replaced, pruned,
      checkCancellation
    ) { data, byteCount in
      blocks.append(
        PackedBlock(number: first + Int64(blocks.count), byteCount: byteCount, data: data))
      return first + Int64(blocks.count) - 1
    }
    return Packing(
      list: list.key, firstPlain: row.firstPlain, oldest: row.oldest,
      firstVersion: try version(of: start, in: list.key), slice: slice,
      replaced: replaced, blocks: blocks)
  }

  /// Returns the last slices of a list, which the next slice replaces.
  private func joinedSlices(of row: ListRow, isWhole: Bool) throws -> [Slice] {
    var start = row.firstPlain
    let others = try slices(of: row.key).reversed().prefix { slice in
      let count = slice.changes.upperBound - slice.changes.lowerBound
      guard isWhole || count < 2 * (row.nextChange - start) else { return false }
      start = slice.changes.lowerBound
      return true
    }
    return others.reversed()
  }

  private func joinedSlice(
    of list: ListRecord, _ changes: Range<Int64>, firstPlain: Int64, _ slices: [Slice],
    _ pruned: KeptTexts?, _ checkCancellation: () throws -> Void,
    store: @escaping (_ data: [UInt8], _ byteCount: Int) -> Int64
  ) throws -> Slice {
    let firstStep =
      try list.head < list.firstStep
      ? changes.upperBound : max(changes.lowerBound, firstChange(of: list.firstStep, in: list.key))
    var plain = try PlainItems(
      rows: firstPlain..<changes.upperBound, of: list, firstStep: firstStep, self)
    let starts = slices.flatMap(\.starts) + plain.starts
    var front = try HeadContents(of: list, self)
    var writer = try SliceWriter(of: changes, starts: starts, firstStep: firstStep, store: store)
    var sources = slices.map { items(of: $0, in: list.key) }
    var offsets = slices.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.starts.count) }
    let plainOffset = offsets.removeLast()
    var heads = try sources.indices.map { try sources[$0].next() }
    var next = try plain.next()
    while let item = (heads.map { $0?.item } + [next?.item]).compactMap(\.self).min() {
      try checkCancellation()
      var joined = PackedItem(item: item, id: nil, touches: [])
      func add(_ other: PackedItem, _ offset: Int) {
        joined.id = joined.id ?? other.id
        joined.touches += other.touches.map { ($0.step.map { $0 + offset }, $0.text) }
      }
      if let found = next, found.item == item {
        add(found, plainOffset)
        next = try plain.next()
      }
      for (number, found) in heads.enumerated().reversed() {
        guard let found, found.item == item else { continue }
        add(found, offsets[number])
        heads[number] = try sources[number].next()
      }
      if let pruned, !joined.prune(to: pruned, starts: starts, firstStep: firstStep) { continue }
      let content = front.content(of: item).flatMap { $0 < changes.lowerBound ? nil : $0 }
      let position = content.flatMap { content in
        let step = content == item ? nil : starts.partitioningIndex { $0 > content } - 1
        return joined.touches.firstIndex { $0.text != nil && $0.step == step }
      }
      try writer.add(item, id: joined.id, joined.touches, front: position)
    }
    for slice in slices {
      let steps = max(slice.firstStep, firstStep)
      if steps >= slice.changes.upperBound { continue }
      try packedRows(steps..<slice.changes.upperBound, of: list.key) { try writer.add($0) }
    }
    let plainSteps = max(firstPlain, firstStep)
    if plainSteps < changes.upperBound {
      try visit(
        RowRange(of: .changes, in: list.key, from: plainSteps, through: changes.upperBound - 1)
      ) { row in
        try writer.add(ChangeRow(row))
        return true
      }
    }
    return try writer.finish()
  }

  /// Returns the number of changes that a list should pack now by itself; nil while its plain rows
  /// are few, or must stay plain.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - moreFollow: whether many versions will follow at once.
  public func duePackingCount(of list: ListKey, moreFollow: Bool = false) throws -> Int? {
    let row = try row(of: list)
    let isDue = PackingRule.isDue(
      plainCount: row.nextChange - row.firstPlain, packedCount: row.firstPlain - 1,
      moreFollow: moreFollow)
    guard isDue, !row.keepsPlain else { return nil }
    let start = try joinedSlices(of: row, isWhole: false).first?.changes.lowerBound
    return Int(row.nextChange - (start ?? row.firstPlain))
  }

  /// Returns the items of a slice with all their texts.
  func items(of slice: Slice, in list: ListKey) -> SliceItems {
    SliceItems(of: slice) { place in
      var found: UnfoldedBlock?
      try self.blocks([place], of: list) { _, block throws(ByteReader.Malformed) in found = block }
      guard let found else { preconditionFailure("a missing block is an error") }
      return found
    }
  }
}

/// The contents of the head by item. Items must be asked for in ascending order.
private struct HeadContents {
  private var items: ArraySlice<StoredItem>

  init(of list: ListRecord, _ reader: ListReader) throws {
    let order = try reader.headOrder(of: list)
    items = try order?.items().sorted { $0.id.rawValue < $1.id.rawValue }[...] ?? []
  }

  /// Returns the change that wrote the content of an item; nil for an item that the head does not
  /// hold.
  mutating func content(of item: Int64) -> Int64? {
    while let first = items.first, first.id.sequence < item { items.removeFirst() }
    return items.first.flatMap { $0.id.sequence == item ? $0.content.sequence : nil }
  }
}

/// The changes in plain rows, by item.
///
/// Memory: the rows that introduce no item, with their texts, and a page of the others.
private struct PlainItems {
  fileprivate struct Change {
    let item: Int64
    let sequence: Int64
    let id: [UInt8]?
    let content: [UInt8]?
  }

  private static let pageCount = 4096

  /// The first change of each step. The changes of pruned steps come first, each as a step of its
  /// own.
  let starts: [Int64]
  private let reader: ListReader
  private let list: ListKey
  /// The rows of the range that are still to be read.
  private var rest: Range<Int64>
  /// The rows that introduce items, in the order of the items.
  private var introductions: ArraySlice<Change> = []
  /// The other rows by item, the newest of each first.
  private var others: ArraySlice<Change> = []

  /// - Parameters:
  ///   - range: the rows.
  ///   - firstStep: the first change whose step is kept; rows before it keep only their texts.
  init(
    rows range: Range<Int64>, of list: ListRecord, firstStep: Int64, _ reader: ListReader
  ) throws {
    (self.reader, self.list, rest) = (reader, list.key, range)
    var (others, texts): ([Change], [Int64]) = ([], [])
    try Self.visit(range, of: list.key, reader) { change, row in
      if change.sequence < firstStep { texts.append(change.sequence) }
      if !change.introducesItem { others.append(Change(change, row)) }
      return true
    }
    self.others = others.sorted { ($0.item, $1.sequence) < ($1.item, $0.sequence) }[...]
    let kept = max(firstStep, range.lowerBound)
    starts =
      try texts + reader.firstChanges(of: list).filter { $0 >= kept && $0 < range.upperBound }
  }

  mutating func next() throws -> PackedItem? {
    if introductions.isEmpty { try readPage() }
    let item = [introductions.first?.item, others.first?.item].compactMap(\.self).min()
    guard let item else { return nil }
    var found = PackedItem(item: item, id: nil, touches: [])
    while let change = others.first, change.item == item {
      others.removeFirst()
      found.touches.append((step(of: change.sequence), change.content))
    }
    if let change = introductions.first, change.item == item {
      introductions.removeFirst()
      found.id = change.id
      found.touches.append(
        (change.content == nil ? step(of: change.sequence) : nil, change.content))
    }
    return found
  }

  private func step(of change: Int64) -> Int { starts.partitioningIndex { $0 > change } - 1 }

  private mutating func readPage() throws {
    var page: [Change] = []
    var end = rest.upperBound
    try Self.visit(rest, of: list, reader) { change, row in
      if change.introducesItem { page.append(Change(change, row)) }
      if page.count < Self.pageCount { return true }
      end = change.sequence + 1
      return false
    }
    (introductions, rest) = (page[...], end..<max(end, rest.upperBound))
  }

  private static func visit(
    _ range: Range<Int64>, of list: ListKey, _ reader: ListReader,
    _ receive: (ChangeRow, LogRow) throws -> Bool
  ) throws {
    if range.isEmpty { return }
    try reader.visit(
      RowRange(of: .changes, in: list, from: range.lowerBound, through: range.upperBound - 1)
    ) { try receive(ChangeRow($0), $0) }
  }
}

extension PlainItems.Change {
  init(_ change: ChangeRow, _ row: LogRow) {
    (item, sequence) = (change.item.sequence, change.sequence)
    (id, content) = (row.isNull(8) ? nil : row.bytes(8), row.isNull(9) ? nil : row.bytes(9))
  }
}

extension ListReader {
  /// Returns the first change of each version that has changes, ascending.
  fileprivate func firstChanges(of list: ListRecord) throws -> [Int64] {
    try rows(RowRange(of: .versions, in: list.key)) { try VersionRow($0).firstChange }
      .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}

/// The texts from before the first step of a pruned list that are still referenced: contents of
/// items, and the ids of these items.
struct KeptTexts {
  private(set) var contents: [Int64: Set<Int64>] = [:]

  mutating func keep(_ item: Int64, content: Int64? = nil) {
    contents[item, default: []].formUnion([content].compactMap(\.self))
  }
}

extension ListReader {
  /// Returns the texts that the oldest version of a list and its kept steps reference.
  ///
  /// - Parameters:
  ///   - items: the items of its oldest version.
  ///   - end: the first change of the first step that is kept.
  func keptTexts(
    of items: [StoredItem], before end: Int64, _ list: ListKey
  ) throws -> KeptTexts {
    var kept = KeptTexts()
    for item in items { kept.keep(item.id.sequence, content: item.content.sequence) }
    func keep(_ row: ChangeRow) {
      kept.keep(row.item.sequence)
      for content in [row.oldContent, row.newContent] {
        if let content { kept.keep(row.item.sequence, content: content.sequence) }
      }
    }
    let firstPlain = try row(of: list).firstPlain
    if end < firstPlain { try packedRows(end..<firstPlain, of: list, keep) }
    try visit(RowRange(of: .changes, in: list, from: max(end, firstPlain))) { found in
      keep(try ChangeRow(found))
      return true
    }
    return kept
  }
}

extension PackedItem {
  /// Removes the texts that nothing references.
  ///
  /// - Returns: whether anything is left.
  mutating func prune(to kept: KeptTexts, starts: [Int64], firstStep: Int64) -> Bool {
    let item = item
    let contents = kept.contents[item]
    if contents == nil { id = nil }
    let steps = Set(
      (contents ?? []).map { content in
        content == item ? -1 : starts.partitioningIndex { $0 > content } - 1
      })
    let all = touches
    touches = all.filter { touch in
      let isKept = (touch.step.map { starts[$0] } ?? item) >= firstStep
      return isKept || touch.text != nil && steps.contains(touch.step ?? -1)
    }
    // An item of which only the id is referenced needs an entry for it.
    if touches.isEmpty, id != nil, let last = all.last {
      touches = [(last.step ?? starts.partitioningIndex { $0 > item } - 1, nil)]
    }
    return !touches.isEmpty
  }
}
