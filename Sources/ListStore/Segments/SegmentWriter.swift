import ListChanges

/// A writer of a segment and its blocks: first the texts of items, then the changes.
///
/// Memory: one block of each kind, all places, the finished blocks until they are taken, and some
/// texts of an item.
struct SegmentWriter: Sendable {
  typealias ItemRevision = ContentsBlockWriter.ItemRevision

  /// The number of bytes at which a block ends. Longer blocks take fewer bytes in all, but more
  /// time to read one item.
  private static let blockByteCount = 1 << 16
  /// The largest number of steps in one entry.
  private static let entryCount = 256

  private let changes: Range<Int64>
  private let starts: [Int64]
  private let firstStep: Int64
  private var current: ContentsBlockWriter
  private var older: ContentsBlockWriter
  private var steps = StepsBlockWriter()
  private var (currentPlaces, olderPlaces, stepPlaces):
    ([Segment.Place], [Segment.Place], [Segment.Place])
  private var (firstCurrent, firstOlder, firstRow): (Int64?, Int64?, Int64?)
  private var nextStep: Int
  private var nextRow: Int64
  private var byteCount = 0
  private let firstBlock: Int64
  private var nextBlock: Int64
  private var finished: [StoredBlock] = []
  /// The number of bytes of the blocks that were not taken yet.
  private(set) var finishedByteCount = 0

  private var item: Int64 = 0
  private var id: [UInt8]?
  /// Whether the item has a current text, and whether the older texts have no entry of it yet.
  private var (hasCurrent, isFirstEntry): (Bool, Bool)
  private var lastRank = Int.max
  /// The current text, if the next entry may be based on it.
  private var base: [UInt8]?
  /// The changes of the next entry, and the number of bytes of their texts.
  private var (entry, entryByteCount): ([ItemRevision], Int)

  /// - Parameters:
  ///   - changes: the changes that the segment will have.
  ///   - starts: the first change of each step.
  ///   - firstStep: the first step, as ``Segment`` counts it.
  /// - Throws: `StoreError.corrupt` if the steps are not ascending, or not in the segment.
  init(of changes: Range<Int64>, starts: [Int64], firstStep: Int64) throws(StoreError) {
    guard zip(starts, starts.dropFirst()).allSatisfy(<), starts.allSatisfy(changes.contains),
      firstStep <= changes.upperBound
    else { throw .corrupt(reason: "the versions of a list have other changes than it has") }
    (self.changes, self.starts, self.firstStep) = (changes, starts, firstStep)
    current = ContentsBlockWriter(stepCount: starts.count)
    older = ContentsBlockWriter(stepCount: starts.count)
    (currentPlaces, olderPlaces, stepPlaces) = ([], [], [])
    nextStep = starts.partitioningIndex { $0 >= firstStep }
    nextRow = firstStep
    // Random, so that no number is used again, or by two writers at the same time.
    firstBlock = Int64.random(in: 1...Int64.max >> 1)
    nextBlock = firstBlock
    (hasCurrent, isFirstEntry) = (false, true)
    (entry, entryByteCount) = ([], 0)
  }

  /// The numbers of all blocks that were finished.
  var blocks: Range<Int64> { firstBlock..<nextBlock }

  /// Returns the blocks that are finished, without those that were returned before.
  mutating func takeFinished() -> [StoredBlock] {
    defer { (finished, finishedByteCount) = ([], 0) }
    return finished
  }

  /// Begins the changes of an item.
  ///
  /// - Parameters:
  ///   - item: an item after those before.
  ///   - id: its id, if one of the changes introduced it.
  /// - Throws: `StoreError.corrupt` if the item comes before the last one.
  mutating func begin(_ item: Int64, id: [UInt8]?) throws(StoreError) {
    guard item > self.item else { throw Self.noOrder }
    (self.item, self.id, hasCurrent) = (item, id, false)
    (isFirstEntry, lastRank, base) = (true, .max, nil)
  }

  private static let noOrder = StoreError.corrupt(reason: "the changes of an item have no order")

  /// Adds a change of the item, one before the last one.
  ///
  /// - Throws: `StoreError.corrupt` if it is not before the last one.
  mutating func add(_ revision: ItemRevision) throws(StoreError) {
    // The step that introduced the item comes before all others.
    let rank = revision.step ?? -1
    guard rank < lastRank, revision.step.map(starts.indices.contains) ?? true else {
      throw Self.noOrder
    }
    lastRank = rank
    if !hasCurrent, let text = revision.text {
      addCurrent(revision, textByteCount: text.count)
      base = isFirstEntry ? text : nil
      return
    }
    let count = revision.text?.count ?? 0
    let isFull = entryByteCount > 0 && entryByteCount + count > ContentsBlock.textByteLimit
    if isFull || entry.count == Self.entryCount { endEntry() }
    entry.append(revision)
    entryByteCount += count
  }

  private mutating func addCurrent(_ revision: ItemRevision, textByteCount: Int) {
    if !current.hasRoom(for: textByteCount) { endCurrent() }
    firstCurrent = firstCurrent ?? item
    current.add(item, id: id, [revision])
    hasCurrent = true
    if current.byteCount >= Self.blockByteCount { endCurrent() }
  }

  /// Ends the changes of the item.
  mutating func endItem() {
    // An id is always in the current texts, also that of an item whose texts were pruned.
    if !hasCurrent, id != nil, let last = entry.popLast() { addCurrent(last, textByteCount: 0) }
    endEntry()
  }

  private mutating func endEntry() {
    if entry.isEmpty { return }
    if !older.hasRoom(for: entryByteCount) { endOlder() }
    firstOlder = firstOlder ?? item
    older.add(item, id: nil, entry, base: base)
    if older.byteCount >= Self.blockByteCount { endOlder() }
    (isFirstEntry, base, entry, entryByteCount) = (false, nil, [], 0)
  }

  /// Adds the next change, without its text.
  ///
  /// - Throws: `StoreError.corrupt` if it is not the next one.
  mutating func add(_ row: ChangeRow) throws(StoreError) {
    guard row.sequence == nextRow else {
      throw StoreError.corrupt(reason: "change \(nextRow) of a list is missing")
    }
    nextRow += 1
    if nextStep < starts.count, starts[nextStep] <= row.sequence {
      steps.endVersion()
      while nextStep < starts.count, starts[nextStep] <= row.sequence { nextStep += 1 }
      if steps.byteCount >= Self.blockByteCount { endSteps() }
    }
    firstRow = firstRow ?? row.sequence
    steps.add(row)
    // The rows of a long version may need several blocks.
    if steps.byteCount >= 2 * Self.blockByteCount { endSteps() }
  }

  /// - Throws: `StoreError.corrupt` if the last changes were not added.
  mutating func finish() throws(StoreError) -> Segment {
    guard nextRow == changes.upperBound else {
      throw StoreError.corrupt(reason: "change \(nextRow) of a list is missing")
    }
    let startBlocks = stride(from: 0, to: starts.count, by: StartsBlock.stepCount).map { first in
      let some = starts[first..<min(first + StartsBlock.stepCount, starts.count)]
      return (first: starts[first], bytes: StartsBlock.bytes(some))
    }
    if nextBlock == firstBlock, let segment = ownSegment(startBlocks) { return segment }
    endCurrent()
    endOlder()
    endSteps()
    let startPlaces = startBlocks.map { place($0.bytes, first: $0.first) }
    return Segment(
      changes: changes, stepCount: starts.count, firstStep: firstStep, starts: startPlaces,
      current: currentPlaces, older: olderPlaces, steps: stepPlaces, inlineBlocks: nil,
      byteCount: byteCount,
      unfoldedByteCount: byteCount)
  }

  /// Makes a segment with blocks of its own, if they are short.
  private mutating func ownSegment(_ starts: [(first: Int64, bytes: [UInt8])]) -> Segment? {
    let startByteCount = starts.reduce(0) { $0 + $1.bytes.count }
    let length = startByteCount + current.byteCount + older.byteCount + steps.byteCount
    if length > Self.blockByteCount { return nil }
    var inlineBlocks: [[UInt8]] = []
    func place(_ first: Int64?, _ bytes: [UInt8]) -> [Segment.Place] {
      guard let first else { return [] }
      inlineBlocks.append(bytes)
      let number = Segment.inlineNumber(inlineBlocks.count - 1, first: changes.lowerBound)
      return [Segment.Place(first: first, block: number)]
    }
    steps.endVersion()
    let startPlaces = starts.flatMap { place($0.first, $0.bytes) }
    let (currentPlaces, olderPlaces) = (
      place(firstCurrent, current.bytes), place(firstOlder, older.bytes)
    )
    let stepPlaces = place(firstRow, steps.bytes)
    let byteCount = inlineBlocks.reduce(0) { $0 + $1.count }
    return Segment(
      changes: changes, stepCount: self.starts.count, firstStep: firstStep, starts: startPlaces,
      current: currentPlaces, older: olderPlaces, steps: stepPlaces, inlineBlocks: inlineBlocks,
      byteCount: byteCount,
      unfoldedByteCount: byteCount + current.textByteCount + older.textByteCount)
  }

  private mutating func place(
    _ bytes: [UInt8], textByteCount: Int = 0, first: Int64
  ) -> Segment.Place {
    let data = PackedData.pack(bytes)
    finished.append(
      StoredBlock(number: nextBlock, byteCount: bytes.count + textByteCount, data: data))
    defer { nextBlock += 1 }
    (byteCount, finishedByteCount) = (byteCount + bytes.count, finishedByteCount + data.count)
    return Segment.Place(first: first, block: nextBlock)
  }

  private mutating func endCurrent() {
    guard let first = firstCurrent else { return }
    currentPlaces.append(place(current.bytes, textByteCount: current.textByteCount, first: first))
    (current, firstCurrent) = (ContentsBlockWriter(stepCount: starts.count), nil)
  }

  private mutating func endOlder() {
    guard let first = firstOlder else { return }
    olderPlaces.append(place(older.bytes, textByteCount: older.textByteCount, first: first))
    (older, firstOlder) = (ContentsBlockWriter(stepCount: starts.count), nil)
  }

  private mutating func endSteps() {
    guard let first = firstRow else { return }
    steps.endVersion()
    stepPlaces.append(place(steps.bytes, first: first))
    (steps, firstRow) = (StepsBlockWriter(), nil)
  }
}

/// A block to store.
public struct StoredBlock: Sendable {
  let number: Int64
  /// The number of bytes that the block unfolds to: see ``UnfoldedBlock``.
  let byteCount: Int
  public let data: [UInt8]
}
