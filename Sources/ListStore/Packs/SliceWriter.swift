import ListChanges

/// A writer of the blocks of a slice: first the texts of items, then the changes.
///
/// Memory: one block of each kind, all places, the finished blocks until they are taken, and some
/// texts of an item.
struct SliceWriter: Sendable {
  typealias Touch = ContentsBlockWriter.Touch

  /// The number of bytes at which a block ends. Longer blocks take fewer bytes in all, but more
  /// time to read one item.
  private static let blockByteCount = 1 << 16
  /// The largest number of steps in one entry.
  private static let entryCount = 256

  private let changes: Range<Int64>
  private let starts: [Int64]
  private let firstStep: Int64
  private var front: ContentsBlockWriter
  private var back: ContentsBlockWriter
  private var steps = StepsBlockWriter()
  private var (fronts, backs, stepPlaces): ([Slice.Place], [Slice.Place], [Slice.Place])
  private var (firstFront, firstBack, firstRow): (Int64?, Int64?, Int64?)
  private var nextStep: Int
  private var nextRow: Int64
  private var byteCount = 0
  private var nextBlock: Int64
  private var finished: [PackedBlock] = []
  /// The number of bytes of the blocks that were not taken yet.
  private(set) var finishedByteCount = 0

  private var item: Int64 = 0
  private var id: [UInt8]?
  /// The position of the step whose text belongs to the front; -1 for the step that introduced the
  /// item; nil if none does.
  private var frontRank: Int?
  private var (isFrontMissing, isFirstEntry): (Bool, Bool)
  private var lastRank = Int.max
  /// The text in the front.
  private var base: [UInt8]?
  /// The changes of the next entry, and the number of bytes of their texts.
  private var (entry, entryByteCount): ([Touch], Int)

  /// - Parameters:
  ///   - changes: the changes that the slice will have.
  ///   - starts: the first change of each step.
  ///   - firstStep: as in the slice.
  /// - Throws: `StoreError.corrupt` if the steps are not ascending, or not in the slice.
  init(of changes: Range<Int64>, starts: [Int64], firstStep: Int64) throws(StoreError) {
    guard zip(starts, starts.dropFirst()).allSatisfy(<), starts.allSatisfy(changes.contains),
      firstStep <= changes.upperBound
    else { throw .corrupt(reason: "the versions of a list have other changes than it has") }
    (self.changes, self.starts, self.firstStep) = (changes, starts, firstStep)
    front = ContentsBlockWriter(stepCount: starts.count)
    back = ContentsBlockWriter(stepCount: starts.count)
    (fronts, backs, stepPlaces) = ([], [], [])
    nextStep = starts.partitioningIndex { $0 >= firstStep }
    nextRow = firstStep
    // Random, so that no number is used again, or by two packings at the same time.
    nextBlock = Int64.random(in: 1...Int64.max >> 1)
    (isFrontMissing, isFirstEntry) = (false, true)
    (entry, entryByteCount) = ([], 0)
  }

  /// Returns the blocks that are finished, without those that were returned before.
  mutating func takeFinished() -> [PackedBlock] {
    defer { (finished, finishedByteCount) = ([], 0) }
    return finished
  }

  /// Begins the changes of an item.
  ///
  /// - Parameters:
  ///   - item: an item after those before.
  ///   - id: its id, if one of the changes introduced it.
  ///   - front: the position of the step whose text belongs to the front, one of those that will be
  ///     added; -1 for the step that introduced the item; nil if none does.
  /// - Throws: `StoreError.corrupt` if the item comes before the last one.
  mutating func begin(_ item: Int64, id: [UInt8]?, front: Int?) throws(StoreError) {
    guard item > self.item else { throw Self.noOrder }
    (self.item, self.id, frontRank, isFrontMissing) = (item, id, front, front != nil)
    (isFirstEntry, lastRank, base) = (true, .max, nil)
  }

  private static let noOrder = StoreError.corrupt(reason: "the changes of an item have no order")

  /// Adds a change of the item, one before the last one.
  ///
  /// - Throws: `StoreError.corrupt` if it is not before the last one.
  mutating func add(_ touch: Touch) throws(StoreError) {
    // The step that introduced the item comes before all others.
    let rank = touch.step ?? -1
    guard rank < lastRank, touch.step.map(starts.indices.contains) ?? true else {
      throw Self.noOrder
    }
    lastRank = rank
    if rank == frontRank, let text = touch.text {
      if !front.hasRoom(for: text.count) { endFront() }
      firstFront = firstFront ?? item
      front.add(item, id: id, [touch])
      if front.byteCount >= Self.blockByteCount { endFront() }
      (isFrontMissing, base) = (false, isFirstEntry ? text : nil)
      return
    }
    let count = touch.text?.count ?? 0
    let isFull = entryByteCount > 0 && entryByteCount + count > ContentsBlock.textByteLimit
    if isFull || entry.count == Self.entryCount { endEntry() }
    entry.append(touch)
    entryByteCount += count
  }

  /// Ends the changes of the item.
  ///
  /// - Throws: `StoreError.corrupt` if the text in the front was not added.
  mutating func endItem() throws(StoreError) {
    endEntry()
    if isFrontMissing { throw .corrupt(reason: "a content of a list is missing") }
  }

  private mutating func endEntry() {
    if entry.isEmpty { return }
    if !back.hasRoom(for: entryByteCount) { endBack() }
    firstBack = firstBack ?? item
    back.add(item, id: isFirstEntry && frontRank == nil ? id : nil, entry, base: base)
    if back.byteCount >= Self.blockByteCount { endBack() }
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
  mutating func finish() throws(StoreError) -> Slice {
    guard nextRow == changes.upperBound else {
      throw StoreError.corrupt(reason: "change \(nextRow) of a list is missing")
    }
    endFront()
    endBack()
    endSteps()
    let startPlaces = stride(from: 0, to: starts.count, by: StartsBlock.stepCount).map { first in
      let some = starts[first..<min(first + StartsBlock.stepCount, starts.count)]
      return place(StartsBlock.bytes(some), first: starts[first])
    }
    return Slice(
      changes: changes, stepCount: starts.count, firstStep: firstStep, starts: startPlaces,
      front: fronts, back: backs, steps: stepPlaces, byteCount: byteCount)
  }

  private mutating func place(
    _ bytes: [UInt8], textByteCount: Int = 0, first: Int64
  ) -> Slice.Place {
    let data = PackedData.pack(bytes)
    finished.append(
      PackedBlock(number: nextBlock, byteCount: bytes.count + textByteCount, data: data))
    defer { nextBlock += 1 }
    (byteCount, finishedByteCount) = (byteCount + data.count, finishedByteCount + data.count)
    return Slice.Place(first: first, block: nextBlock)
  }

  private mutating func endFront() {
    guard let first = firstFront else { return }
    fronts.append(place(front.bytes, textByteCount: front.textByteCount, first: first))
    (front, firstFront) = (ContentsBlockWriter(stepCount: starts.count), nil)
  }

  private mutating func endBack() {
    guard let first = firstBack else { return }
    backs.append(place(back.bytes, textByteCount: back.textByteCount, first: first))
    (back, firstBack) = (ContentsBlockWriter(stepCount: starts.count), nil)
  }

  private mutating func endSteps() {
    guard let first = firstRow else { return }
    steps.endVersion()
    stepPlaces.append(place(steps.bytes, first: first))
    (steps, firstRow) = (StepsBlockWriter(), nil)
  }
}
