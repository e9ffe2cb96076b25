import ListChanges
import ListModel

/// A slice that was made, to take the place of plain rows and of slices before them.
public struct Packing: Sendable {
  let list: ListKey
  /// That of the list when the rows were read.
  let (firstPlain, oldest): (Int64, Version)
  let slice: Slice
  /// The slices that the new one replaces.
  let replaced: [Slice]
  /// The blocks of the new slice, by their numbers.
  public let blocks: [PackedBlock]

  /// How many plain rows were packed.
  public var packedCount: Int { Int(slice.changes.upperBound - firstPlain) }
}

/// A block that is to be stored.
public struct PackedBlock: Sendable {
  let number: Int64
  public let data: [UInt8]
}

extension ListReader {
  /// Packs the plain rows of a list. Joins the slice with those before it that are less than twice
  /// as long: so each change is packed at most log n times, and a list has at most log n slices.
  ///
  /// - Parameters:
  ///   - list: the list.
  ///   - isWhole: whether all slices are joined.
  ///   - pruned: what is left of the changes before those of the list's first step.
  /// - Returns: nil if there is nothing to pack.
  /// - Complexity: O(n + c log c) for n items of the head and the c changes of the slice; memory
  ///   for the plain rows, and for the blocks.
  public func packing(of list: ListRecord, isWhole: Bool = false) throws -> Packing? {
    try packing(of: list, isWhole: isWhole, pruned: nil)
  }

  func packing(
    of list: ListRecord, isWhole: Bool, pruned: KeptTexts?
  ) throws -> Packing? {
    let row = try row(of: list.key)
    let slices = try slices(of: list.key)
    var replaced: [Slice] = []
    var start = row.firstPlain
    for slice in slices.reversed() {
      let count = slice.changes.upperBound - slice.changes.lowerBound
      guard isWhole || count < 2 * (row.nextChange - start) else { break }
      (start, replaced) = (slice.changes.lowerBound, [slice] + replaced)
    }
    guard row.firstPlain < row.nextChange || replaced.count > 1 || pruned != nil else {
      return nil
    }
    var blocks: [PackedBlock] = []
    // Never given again, nor given to two at the same time.
    let first = Int64.random(in: 1...Int64.max >> 1)
    let slice = try joinedSlice(
      of: list, start..<row.nextChange, firstPlain: row.firstPlain, replaced, pruned
    ) { data in
      blocks.append(PackedBlock(number: first + Int64(blocks.count), data: data))
      return first + Int64(blocks.count) - 1
    }
    return Packing(
      list: list.key, firstPlain: row.firstPlain, oldest: row.oldest, slice: slice,
      replaced: replaced, blocks: blocks)
  }

  private func joinedSlice(
    of list: ListRecord, _ changes: Range<Int64>, firstPlain: Int64, _ slices: [Slice],
    _ pruned: KeptTexts?, store: @escaping (_ data: [UInt8]) -> Int64
  ) throws -> Slice {
    let firstStep =
      try list.head < list.firstStep
      ? changes.upperBound : max(changes.lowerBound, firstChange(of: list.firstStep, in: list.key))
    var plain = try PlainItems(
      rows: firstPlain..<changes.upperBound, of: list, firstStep: firstStep, self)
    let starts = slices.flatMap(\.starts) + plain.starts
    let front = try headContents(of: list, from: changes.lowerBound, starts: starts)
    var writer = SliceWriter(of: changes, starts: starts, firstStep: firstStep, store: store)
    var sources = slices.map { items(of: $0, in: list.key) }
    var offsets = slices.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.starts.count) }
    let plainOffset = offsets.removeLast()
    var heads = try sources.indices.map { try sources[$0].next() }
    var next = plain.next()
    while let item = (heads.map { $0?.item } + [next?.item]).compactMap(\.self).min() {
      var joined = PackedItem(item: item, id: nil, touches: [])
      func add(_ other: PackedItem, _ offset: Int) {
        joined.id = joined.id ?? other.id
        joined.touches += other.touches.map { ($0.step.map { $0 + offset }, $0.text) }
      }
      if let found = next, found.item == item {
        add(found, plainOffset)
        next = plain.next()
      }
      for (number, found) in heads.enumerated().reversed() {
        guard let found, found.item == item else { continue }
        add(found, offsets[number])
        heads[number] = try sources[number].next()
      }
      if let pruned, !joined.prune(to: pruned, starts: starts, firstStep: firstStep) { continue }
      let wanted = front[item]
      try writer.add(
        item, id: joined.id, joined.touches,
        front: wanted.flatMap { wanted in
          joined.touches.firstIndex { $0.text != nil && ($0.step ?? -1) == wanted }
        })
    }
    for slice in slices {
      let steps = max(slice.firstStep, firstStep)
      if steps >= slice.changes.upperBound { continue }
      try packedRows(steps..<slice.changes.upperBound, of: list.key) { try writer.add($0) }
    }
    for row in plain.steps { try writer.add(row) }
    return try writer.finish()
  }

  /// The items of a slice with all their texts.
  func items(of slice: Slice, in list: ListKey) -> SliceItems {
    SliceItems(of: slice) { place in
      var found: [UInt8] = []
      try self.blocks([place], of: list) { _, bytes throws(ByteReader.Malformed) in found = bytes }
      return found
    }
  }

  /// The steps that wrote the contents of the head, by item; -1 for the one that introduced it.
  ///
  /// - Parameter first: the first change of the steps.
  private func headContents(
    of list: ListRecord, from first: Int64, starts: [Int64]
  ) throws -> [Int64: Int] {
    guard let order = try headOrder(of: list) else { return [:] }
    var contents: [Int64: Int] = [:]
    for item in try order.items() where item.content.sequence >= first {
      contents[item.id.sequence] =
        item.hasOwnContent
        ? -1 : starts.partitioningIndex { $0 > item.content.sequence } - 1
    }
    return contents
  }
}

/// What plain rows did to items.
private struct PlainItems {
  private struct Change {
    let item: Int64
    let sequence: Int64
    let id: [UInt8]?
    let content: [UInt8]?
  }

  let starts: [Int64]
  private(set) var steps: [ChangeRow] = []
  /// By item, the newest of each first.
  private var changes: ArraySlice<Change> = []

  /// - Parameters:
  ///   - range: the rows.
  ///   - firstStep: the first change whose step is kept; of rows before it only texts are.
  init(
    rows range: Range<Int64>, of list: ListRecord, firstStep: Int64, _ reader: ListReader
  ) throws {
    var (changes, texts): ([Change], [Int64]) = ([], [])
    var steps: [ChangeRow] = []
    if !range.isEmpty {
      try reader.visit(
        RowRange(
          of: .changes, in: list.key, from: range.lowerBound, through: range.upperBound - 1)
      ) { row in
        let change = try ChangeRow(row)
        let isStep = change.sequence >= firstStep
        if isStep { steps.append(change) } else { texts.append(change.sequence) }
        let (id, content) = (row.isNull(8) ? nil : row.bytes(8), row.isNull(9) ? nil : row.bytes(9))
        if isStep || id != nil || content != nil {
          changes.append(
            Change(
              item: change.item.sequence, sequence: change.sequence, id: id, content: content))
        }
        return true
      }
    }
    changes.sort { ($0.item, $1.sequence) < ($1.item, $0.sequence) }
    (self.steps, self.changes) = (steps, changes[...])
    let kept = max(firstStep, range.lowerBound)
    starts =
      try texts + reader.firstChanges(of: list).filter { $0 >= kept && $0 < range.upperBound }
  }

  mutating func next() -> PackedItem? {
    guard let first = changes.first else { return nil }
    var found = PackedItem(item: first.item, id: nil, touches: [])
    while let change = changes.first, change.item == first.item {
      changes.removeFirst()
      let isOwn = change.sequence == change.item && change.content != nil
      found.id = found.id ?? change.id
      found.touches.append(
        (isOwn ? nil : starts.partitioningIndex { $0 > change.sequence } - 1, change.content))
    }
    return found
  }
}

extension ListReader {
  /// The first change of each version that has changes, ascending.
  fileprivate func firstChanges(of list: ListRecord) throws -> [Int64] {
    try rows(RowRange(of: .versions, in: list.key)) { try VersionRow($0).firstChange }
      .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }
}

/// The texts before the first step of a pruned list that something refers to: the contents of
/// items, whose ids are kept, too.
struct KeptTexts {
  private(set) var contents: [Int64: Set<Int64>] = [:]

  mutating func keep(_ item: Int64, content: Int64? = nil) {
    contents[item, default: []].formUnion([content].compactMap(\.self))
  }
}

extension PackedItem {
  /// Leaves out what nothing refers to.
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
    // An item that is only named needs an entry for its id.
    if touches.isEmpty, id != nil, let last = all.last {
      touches = [(last.step ?? starts.partitioningIndex { $0 > item } - 1, nil)]
    }
    return !touches.isEmpty
  }
}
