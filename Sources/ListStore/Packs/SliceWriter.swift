import ListChanges

/// A writer of the blocks of a slice.
///
/// Memory: one block of each kind, and all places.
struct SliceWriter {
  /// The number of bytes at which a block ends. Longer blocks take fewer bytes in all, but more
  /// time to read one item.
  private static let blockByteCount = 1 << 16
  /// The largest number of steps in one entry.
  private static let entryCount = 256

  private let changes: Range<Int64>
  private let starts: [Int64]
  private let firstStep: Int64
  private let store: (_ data: [UInt8], _ byteCount: Int) throws -> Int64
  private var front: ContentsBlockWriter
  private var back: ContentsBlockWriter
  private var steps = StepsBlockWriter()
  private var (fronts, backs, stepPlaces): ([Slice.Place], [Slice.Place], [Slice.Place])
  private var (firstFront, firstBack, firstRow): (Int64?, Int64?, Int64?)
  private var nextStep: Int
  private var (lastItem, nextRow): (Int64, Int64)
  private var byteCount = 0

  /// - Parameters:
  ///   - changes: the changes that the slice will have.
  ///   - starts: as in the slice.
  ///   - firstStep: as in the slice.
  ///   - store: stores the data of a block, with the number of bytes that it unfolds to, and
  ///     returns the number of the block.
  /// - Throws: `StoreError.corrupt` if the steps are not ascending, or not in the slice.
  init(
    of changes: Range<Int64>, starts: [Int64], firstStep: Int64,
    store: @escaping (_ data: [UInt8], _ byteCount: Int) throws -> Int64
  ) throws(StoreError) {
    guard zip(starts, starts.dropFirst()).allSatisfy(<), starts.allSatisfy(changes.contains),
      firstStep <= changes.upperBound
    else { throw .corrupt(reason: "the versions of a list have other changes than it has") }
    (self.changes, self.starts, self.firstStep, self.store) = (changes, starts, firstStep, store)
    front = ContentsBlockWriter(stepCount: starts.count)
    back = ContentsBlockWriter(stepCount: starts.count)
    (fronts, backs, stepPlaces) = ([], [], [])
    nextStep = starts.partitioningIndex { $0 >= firstStep }
    (lastItem, nextRow) = (0, firstStep)
  }

  /// Adds the changes of an item.
  ///
  /// - Parameters:
  ///   - item: an item after those added before.
  ///   - id: its id, if one of the changes introduced it.
  ///   - touches: the steps of the slice that changed it, the newest first.
  ///   - front: the position of the touch whose text belongs to the front; nil if none does.
  /// - Throws: `StoreError.corrupt` if the items or touches are not in this order.
  mutating func add(
    _ item: Int64, id: [UInt8]?, _ touches: [ContentsBlockWriter.Touch], front position: Int?
  ) throws {
    // The step that introduced the item comes before all others.
    let steps = touches.map { $0.step ?? -1 }
    guard item > lastItem, zip(steps, steps.dropFirst()).allSatisfy(>),
      touches.allSatisfy({ $0.step.map(starts.indices.contains) ?? true })
    else { throw StoreError.corrupt(reason: "the changes of an item have no order") }
    lastItem = item
    var rest = touches[...]
    var base: [UInt8]?
    if let position, let text = touches[position].text {
      if !front.hasRoom(for: text.count) { try endFront() }
      firstFront = firstFront ?? item
      front.add(item, id: id, [touches[position]])
      if front.byteCount >= Self.blockByteCount { try endFront() }
      rest = (touches[..<position] + touches[(position + 1)...])[...]
      base = text
    }
    var isFirst = true
    while !rest.isEmpty {
      let (part, textByteCount) = Self.entry(of: rest)
      if !back.hasRoom(for: textByteCount) { try endBack() }
      firstBack = firstBack ?? item
      back.add(item, id: isFirst && base == nil ? id : nil, part, base: isFirst ? base : nil)
      if back.byteCount >= Self.blockByteCount { try endBack() }
      (rest, isFirst) = (rest.dropFirst(part.count), false)
    }
  }

  /// Returns the touches of the next entry, and the number of bytes of their texts.
  private static func entry(
    of touches: ArraySlice<ContentsBlockWriter.Touch>
  ) -> ([ContentsBlockWriter.Touch], textByteCount: Int) {
    var (part, byteCount): ([ContentsBlockWriter.Touch], Int) = ([], 0)
    for touch in touches.prefix(entryCount) {
      let count = touch.text?.count ?? 0
      if byteCount > 0, byteCount + count > ContentsBlock.textByteLimit { break }
      part.append(touch)
      byteCount += count
    }
    return (part, byteCount)
  }

  /// Adds the next change, without its text.
  ///
  /// - Throws: `StoreError.corrupt` if it is not the next one.
  mutating func add(_ row: ChangeRow) throws {
    guard row.sequence == nextRow else {
      throw StoreError.corrupt(reason: "change \(nextRow) of a list is missing")
    }
    nextRow += 1
    if nextStep < starts.count, starts[nextStep] <= row.sequence {
      steps.endVersion()
      while nextStep < starts.count, starts[nextStep] <= row.sequence { nextStep += 1 }
      if steps.byteCount >= Self.blockByteCount { try endSteps() }
    }
    firstRow = firstRow ?? row.sequence
    steps.add(row)
    // The rows of a long version may need several blocks.
    if steps.byteCount >= 2 * Self.blockByteCount { try endSteps() }
  }

  /// - Throws: `StoreError.corrupt` if the last changes were not added.
  mutating func finish() throws -> Slice {
    guard nextRow == changes.upperBound else {
      throw StoreError.corrupt(reason: "change \(nextRow) of a list is missing")
    }
    try endFront()
    try endBack()
    try endSteps()
    return Slice(
      changes: changes, starts: starts, firstStep: firstStep, front: fronts, back: backs,
      steps: stepPlaces, byteCount: byteCount)
  }

  private mutating func place(
    _ bytes: [UInt8], textByteCount: Int = 0, first: Int64
  ) throws -> Slice.Place {
    let data = PackedData.pack(bytes)
    byteCount += data.count
    return Slice.Place(first: first, block: try store(data, bytes.count + textByteCount))
  }

  private mutating func endFront() throws {
    guard let first = firstFront else { return }
    fronts.append(try place(front.bytes, textByteCount: front.textByteCount, first: first))
    (front, firstFront) = (ContentsBlockWriter(stepCount: starts.count), nil)
  }

  private mutating func endBack() throws {
    guard let first = firstBack else { return }
    backs.append(try place(back.bytes, textByteCount: back.textByteCount, first: first))
    (back, firstBack) = (ContentsBlockWriter(stepCount: starts.count), nil)
  }

  private mutating func endSteps() throws {
    guard let first = firstRow else { return }
    steps.endVersion()
    stepPlaces.append(try place(steps.bytes, first: first))
    (steps, firstRow) = (StepsBlockWriter(), nil)
  }
}
