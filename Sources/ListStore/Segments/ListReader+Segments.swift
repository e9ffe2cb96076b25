import ListChanges
import ListModel

/// The reading of a list's segments.
extension ListReader {
  /// Returns the segments of a list, in ascending order.
  ///
  /// - Throws: `StoreError.corrupt` if they do not have all changes without gaps.
  func segments(of list: ListKey) throws -> [Segment] {
    try storeChanges(of: list)
    let opened = opened(list)
    if let known = opened.segments { return known }
    assertSeesOneState(of: list)
    let end = try firstUnstored(of: list) ?? row(of: list).nextChange
    if end == 1 { return [] }
    var limit = Segment.byteLimit
    let found = try rows(Self.segments(of: list)) { row in
      let (first, end) = (row.integer(1), row.integer(2))
      guard first < end else { throw LogTable.segments.brokenRules }
      return try reading("a segment") { () throws(ByteReader.Malformed) in
        try Segment(
          row.data, of: first..<end, unfoldedByteCount: Int(row.integer(3)), limit: &limit)
      }
    }
    try spend((Segment.byteLimit - limit) >> 6)
    let bounds = found.map(\.changes)
    guard bounds.first?.lowerBound == 1, bounds.last?.upperBound == end,
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0.upperBound == $1.lowerBound })
    else { throw StoreError.corrupt(reason: "a segment of a list is missing") }
    opened.segments = found
    return found
  }

  static func segments(of list: ListKey) -> RowRange { RowRange(of: .segments, in: list) }

  /// Forgets what was read of a list's segments, since some were replaced.
  ///
  /// - Parameter known: the segments that the list has now; nil if they must be read.
  func forgetSegments(of list: ListKey, known: [Segment]? = nil) {
    let opened = opened(list)
    (opened.segments, opened.starts) = (known, [:])
    (opened.lastSteps, opened.lastBlocks) = (nil, BlockCache())
  }

  func reading<Value>(
    _ what: String, _ body: () throws(ByteReader.Malformed) -> Value
  ) throws(StoreError) -> Value {
    do {
      return try body()
    } catch {
      throw .corrupt(reason: "\(what) of a list is damaged")
    }
  }

  /// Reads blocks, in any order.
  ///
  /// - Parameter receive: receives the position of a place, and its block.
  func blocks(
    _ places: [Segment.Place], of segment: Segment, in list: ListKey,
    _ receive: (_ position: Int, UnfoldedBlock) throws(ByteReader.Malformed) -> Void
  ) throws {
    func pass(_ position: Int, _ block: UnfoldedBlock) throws {
      try spend(block.bytes.count >> 6)
      try reading("a block") { () throws(ByteReader.Malformed) in try receive(position, block) }
    }
    if segment.inlineBlocks != nil {
      for (position, place) in places.enumerated() {
        if let block = segment.inlineBlock(place.block) { try pass(position, block) }
      }
      return
    }
    var count = 0
    try visit(.blocks, places.map { RowKey(list, $0.block) }) { position, row in
      count += 1
      let (data, byteCount) = (row.data, Int(row.integer(2)))
      try pass(
        position,
        reading("a block") { () throws(ByteReader.Malformed) in
          try UnfoldedBlock(data, byteCount: byteCount)
        })
    }
    guard count == places.count else {
      throw StoreError.corrupt(reason: "a block of a list is missing")
    }
  }
}

// MARK: Texts

extension ListReader {
  /// Reads ids and contents.
  ///
  /// - Parameter receive: receives the position of a text, and its bytes; not called for a text
  ///   that does not exist.
  func texts(
    _ texts: [WantedText], of list: ListKey,
    _ receive: (_ position: Int, [UInt8]) -> Void
  ) throws {
    if texts.isEmpty { return }
    let segments = try segments(of: list)
    let parts = Self.parts(of: texts, in: segments)
    try readAhead(firstBlocks(of: texts, in: list))
    try withoutActuallyEscaping(receive) { receive in
      for (segment, part) in zip(segments, parts) where !part.isEmpty {
        let later = part.indices.filter { part[$0].content ?? part[$0].item != part[$0].item }
        var steps: [Int?] = Array(repeating: nil, count: part.count)
        let found = try self.steps(of: later.map { part[$0].change }, in: segment, of: list)
        for (position, step) in zip(later, found) { steps[position] = step }
        var reading = SegmentReading(segment, part, steps: steps, receive)
        let current = reading.wantedCurrent()
        try contents(current.map { segment.current[$0.place] }, of: segment, in: list) {
          position, block throws(ByteReader.Malformed) in
          try reading.readCurrent(block, current[position].items)
        }
        try older(of: segment, in: list, &reading)
      }
    }
  }

  /// Returns the texts that each segment has.
  private static func parts(of texts: [WantedText], in segments: [Segment]) -> [[WantedText]] {
    var parts: [[WantedText]] = Array(repeating: [], count: segments.count)
    for text in texts {
      let segment = segments.partitioningIndex { $0.changes.upperBound > text.change }
      if segment < segments.count { parts[segment].append(text) }
    }
    return parts
  }

  /// The query of the blocks that are read first for some texts, in all segments together.
  func firstBlocks(of texts: [WantedText], in list: ListKey) throws -> [RowQuery] {
    if texts.isEmpty { return [] }
    let segments = try segments(of: list)
    let lastBlocks = opened(list).lastBlocks
    let blocks = zip(segments, Self.parts(of: texts, in: segments))
      .flatMap { $0.firstBlocks(of: $1) }.filter { lastBlocks.block($0) == nil }
    let isFew = blocks.count <= Self.blocksAheadCount
    return isFew ? [.rows(.blocks, blocks.map { RowKey(list, $0) })] : []
  }

  private static let blocksAheadCount = 64

  /// Reads the blocks of older texts that have wanted ones. The blocks of an item begin with its
  /// newest changes, so a few are read at first, then more, until everything is found.
  private func older(
    of segment: Segment, in list: ListKey, _ texts: inout SegmentReading
  ) throws {
    let wanted = texts.wantedOlder()
    var (rest, count) = (wanted[...], 4)
    while !rest.isEmpty {
      let some = rest.prefix(count).map { place, items in
        (place: segment.older[place], items: items.filter { texts.lacksTexts(of: $0) })
      }.filter { !$0.items.isEmpty }
      try contents(some.map(\.place), of: segment, in: list) {
        position, block throws(ByteReader.Malformed) in
        try texts.readOlder(block, some[position].items)
      }
      (rest, count) = (rest.dropFirst(count), 2 * count)
    }
    try spend(texts.cost)
  }

  /// Reads blocks of contents, in any order. Keeps a few of them, since the next texts are often in
  /// the same blocks.
  private func contents(
    _ places: [Segment.Place], of segment: Segment, in list: ListKey,
    _ receive: (_ position: Int, ContentsBlock) throws(ByteReader.Malformed) -> Void
  ) throws {
    let opened = opened(list)
    var missing: [Int] = []
    for (position, place) in places.enumerated() {
      guard let block = opened.lastBlocks.block(place.block) else {
        missing.append(position)
        continue
      }
      try reading("a block") { () throws(ByteReader.Malformed) in try receive(position, block) }
    }
    let isKept = missing.count <= BlockCache.count
    try blocks(missing.map { places[$0] }, of: segment, in: list) {
      number, unfolded throws(ByteReader.Malformed) in
      let position = missing[number]
      let block = try ContentsBlock(unfolded, stepCount: segment.stepCount)
      if isKept, block.bytes.count <= BlockCache.byteLimit {
        opened.lastBlocks.keep(block, places[position].block)
      }
      try receive(position, block)
    }
  }
}

/// The blocks of contents of a list that a transaction read last.
struct BlockCache {
  static let count = 16
  /// The largest number of bytes of a block that is kept.
  static let byteLimit = 1 << 21

  private var blocks: [(number: Int64, block: ContentsBlock)] = []

  func block(_ number: Int64) -> ContentsBlock? { blocks.first { $0.number == number }?.block }

  mutating func keep(_ block: ContentsBlock, _ number: Int64) {
    if blocks.count == Self.count { blocks.removeFirst() }
    blocks.append((number, block))
  }
}

// MARK: Changes

extension ListReader {
  /// Passes changes to a receiver, each once, in ascending order.
  ///
  /// - Parameter range: the numbers of the changes, none of them before the first step that is
  ///   kept.
  /// - Throws: `StoreError.corrupt` if one of them is missing.
  func changeRows(
    _ range: Range<Int64>, of list: ListKey, _ receive: (ChangeRow) throws -> Void
  ) throws {
    var next = range.lowerBound
    for segment in try segments(of: list) where segment.changes.overlaps(range) {
      let wanted = segment.changes.clamped(to: range)
      let start = segment.steps.partitioningIndex { $0.first > wanted.lowerBound }
      let end = segment.steps.partitioningIndex { $0.first >= wanted.upperBound }
      for place in segment.steps[max(start - 1, 0)..<end] {
        let rows = try rows(in: place, of: segment, in: list)
        // The rows of a block follow each other without gaps.
        let found = wanted.clamped(to: place.first..<place.first + Int64(rows.count))
        for row in rows[Int(found.lowerBound - place.first)..<Int(found.upperBound - place.first)] {
          guard row.sequence == next else { break }
          try receive(row)
          next += 1
        }
      }
    }
    guard next == range.upperBound else {
      throw StoreError.corrupt(reason: "change \(next) of a segment is missing")
    }
  }

  /// Returns the rows of a block of steps. Keeps the rows of the last block, since an item's
  /// history often reads them again.
  func rows(
    in place: Segment.Place, of segment: Segment, in list: ListKey
  ) throws -> [ChangeRow] {
    let opened = opened(list)
    if let last = opened.lastSteps, last.block == place.block { return last.rows }
    var rows: [ChangeRow] = []
    try blocks([place], of: segment, in: list) { _, block throws(ByteReader.Malformed) in
      rows = try StepsBlock.rows(block.bytes, of: list, from: place.first)
    }
    opened.lastSteps = (place.block, rows)
    return rows
  }

  /// Passes the changes of an item to a receiver, newest first, until it returns false.
  ///
  /// - Parameter range: of the changes; its bounds are those of steps.
  /// - Returns: whether the receiver wants more.
  /// - Complexity: reads the blocks that have the item's changes down to the last one passed, and
  ///   the blocks of their steps.
  func changeRows(
    of item: ItemKey, within range: Range<Int64>, in list: ListKey,
    _ receive: (ChangeRow) throws -> Bool
  ) throws -> Bool {
    for segment in try segments(of: list).reversed()
    where segment.changes.overlaps(range) && segment.changes.upperBound > item.sequence {
      var isWanted = true
      _ = try forEachStep(of: item.sequence, in: segment, of: list) { step in
        let changes = try self.changes(of: step, in: segment, of: list)
        if changes.lowerBound >= range.upperBound { return true }
        if changes.lowerBound < range.lowerBound { return false }
        var found: ChangeRow?
        try changeRows(changes, of: list) { if $0.item == item { found = $0 } }
        guard let found else {
          throw StoreError.corrupt(reason: "a step of an item is missing in a segment")
        }
        isWanted = try receive(found)
        return isWanted
      }
      if !isWanted { return false }
    }
    return true
  }

  /// Passes the steps of a segment that changed an item to a receiver, newest first, until it
  /// returns false.
  ///
  /// - Returns: whether the receiver wants more.
  private func forEachStep(
    of item: Int64, in segment: Segment, of list: ListKey, _ receive: (Int) throws -> Bool
  ) throws -> Bool {
    func steps(in places: [Segment.Place]) throws -> [Int] {
      var steps: [Int?] = []
      try contents(places, of: segment, in: list) { _, block throws(ByteReader.Malformed) in
        for entry in block.entries(of: item) {
          steps += block.revisions[entry.revisions].map(\.step)
        }
      }
      return try steps.map { try $0 ?? self.steps(of: [item], in: segment, of: list)[0] }
    }
    var last = Int.max
    func pass(_ step: Int) throws -> Bool {
      guard step < last else {
        throw StoreError.corrupt(reason: "the steps of an item have no order")
      }
      last = step
      try spend(1)
      return try receive(step)
    }
    // The current text has one of them, which may not be the newest.
    var current = try steps(in: Array(segment.current[segment.current.holding(item)]))
    for place in segment.older[segment.older.holding(item)] {
      for step in try steps(in: [place]) {
        while let next = current.last, next > step {
          current.removeLast()
          if try !pass(next) { return false }
        }
        if try !pass(step) { return false }
      }
    }
    for step in current where try !pass(step) { return false }
    return true
  }
}
