import ListChanges
import ListModel

/// The reading of a list's packed rows.
///
/// The row of a list has the number of its first plain row; all changes before it are in slices.
extension ListReader {
  /// Returns whether some of a list's rows are packed.
  public func isPacked(_ list: ListKey) throws -> Bool { try row(of: list).firstPlain > 1 }

  /// Returns the slices of a list, in ascending order.
  ///
  /// - Throws: `StoreError.corrupt` if they do not reach the first plain row without gaps.
  func slices(of list: ListKey) throws -> [Slice] {
    if let known = slices[list] { return known }
    let end = try row(of: list).firstPlain
    if end == 1 { return [] }
    let found = try rows(RowRange(of: .slices, in: list)) { row in
      let (first, end) = (row.integer(1), row.integer(2))
      guard first < end else { throw LogTable.slices.brokenRules }
      return try reading("a slice") { () throws(ByteReader.Malformed) in
        try Slice(row.data, of: first..<end)
      }
    }
    let bounds = found.map(\.changes)
    guard bounds.first?.lowerBound == 1, bounds.last?.upperBound == end,
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0.upperBound == $1.lowerBound })
    else { throw StoreError.corrupt(reason: "a slice of a list is missing") }
    slices[list] = found
    return found
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
    _ places: [Slice.Place], of list: ListKey,
    _ receive: (_ position: Int, UnfoldedBlock) throws(ByteReader.Malformed) -> Void
  ) throws {
    var count = 0
    try visit(.blocks, places.map { RowKey(list, $0.block) }) { position, row in
      count += 1
      let (data, byteCount) = (row.data, Int(row.integer(2)))
      let block = try reading("a block") { () throws(ByteReader.Malformed) in
        try UnfoldedBlock(data, byteCount: byteCount)
      }
      try spend(block.bytes.count >> 6)
      try reading("a block") { () throws(ByteReader.Malformed) in try receive(position, block) }
    }
    guard count == places.count else {
      throw StoreError.corrupt(reason: "a block of a list is missing")
    }
  }
}

// MARK: Texts

extension ListReader {
  /// Reads ids and contents of packed rows.
  ///
  /// - Parameter receive: receives the position of a text, and its bytes; not called for a text
  ///   that does not exist.
  func packedTexts(
    _ texts: [PackedText], of list: ListKey,
    _ receive: (_ position: Int, [UInt8]) -> Void
  ) throws {
    if texts.isEmpty { return }
    let slices = try slices(of: list)
    var parts: [[PackedText]] = Array(repeating: [], count: slices.count)
    for text in texts {
      let slice = slices.partitioningIndex { $0.changes.upperBound > text.change }
      if slice < slices.count { parts[slice].append(text) }
    }
    try withoutActuallyEscaping(receive) { receive in
      for (slice, part) in zip(slices, parts) where !part.isEmpty {
        let later = part.indices.filter { part[$0].content ?? part[$0].item != part[$0].item }
        var steps: [Int?] = Array(repeating: nil, count: part.count)
        let found = try self.steps(of: later.map { part[$0].change }, in: slice, of: list)
        for (position, step) in zip(later, found) { steps[position] = step }
        var reading = SliceReading(slice, part, steps: steps, receive)
        let front = reading.wantedOfFront()
        try contents(front.map { slice.front[$0.place] }, of: slice, in: list) {
          position, block throws(ByteReader.Malformed) in
          try reading.readFront(block, front[position].texts)
        }
        try back(of: slice, in: list, &reading)
      }
    }
  }

  /// Reads the blocks of the back that have wanted texts. The blocks of an item begin with its
  /// newest changes, so a few are read at first, then more, until everything is found.
  private func back(
    of slice: Slice, in list: ListKey, _ texts: inout SliceReading
  ) throws {
    let wanted = texts.wantedOfBack()
    var (rest, count) = (wanted[...], 4)
    while !rest.isEmpty {
      let some = rest.prefix(count).map { place, items in
        (place: slice.back[place], items: items.filter { texts.lacksTexts(of: $0) })
      }.filter { !$0.items.isEmpty }
      try contents(some.map(\.place), of: slice, in: list) {
        position, block throws(ByteReader.Malformed) in
        try texts.readBack(block, some[position].items)
      }
      (rest, count) = (rest.dropFirst(count), 2 * count)
    }
    try spend(texts.cost)
  }

  /// Reads blocks of contents, in any order. Keeps a few of them, since the next texts are often in
  /// the same blocks.
  private func contents(
    _ places: [Slice.Place], of slice: Slice, in list: ListKey,
    _ receive: (_ position: Int, ContentsBlock) throws(ByteReader.Malformed) -> Void
  ) throws {
    var missing: [Int] = []
    for (position, place) in places.enumerated() {
      guard let block = lastBlocks.block(place.block, of: list) else {
        missing.append(position)
        continue
      }
      try reading("a block") { () throws(ByteReader.Malformed) in try receive(position, block) }
    }
    let isKept = missing.count <= BlockCache.count
    try blocks(missing.map { places[$0] }, of: list) {
      number, unfolded throws(ByteReader.Malformed) in
      let position = missing[number]
      let block = try ContentsBlock(unfolded, stepCount: slice.stepCount)
      if isKept, block.bytes.count <= BlockCache.byteLimit {
        lastBlocks.keep(block, places[position].block, of: list)
      }
      try receive(position, block)
    }
  }
}

/// The blocks of contents that a transaction read last.
struct BlockCache {
  static let count = 16
  /// The largest number of bytes of a block that is kept.
  static let byteLimit = 1 << 21

  private var blocks: [(list: ListKey, number: Int64, block: ContentsBlock)] = []

  func block(_ number: Int64, of list: ListKey) -> ContentsBlock? {
    blocks.first { $0.number == number && $0.list == list }?.block
  }

  mutating func keep(_ block: ContentsBlock, _ number: Int64, of list: ListKey) {
    if blocks.count == Self.count { blocks.removeFirst() }
    blocks.append((list, number, block))
  }
}

// MARK: Changes

extension ListReader {
  /// Passes packed changes to a receiver, each once, in ascending order.
  ///
  /// - Parameter range: the numbers of packed changes, none of them before the first step that is
  ///   kept.
  /// - Throws: `StoreError.corrupt` if one of them is missing.
  func packedRows(
    _ range: Range<Int64>, of list: ListKey, _ receive: (ChangeRow) throws -> Void
  ) throws {
    var next = range.lowerBound
    for slice in try slices(of: list) where slice.changes.overlaps(range) {
      let wanted = slice.changes.clamped(to: range)
      let start = slice.steps.partitioningIndex { $0.first > wanted.lowerBound }
      let end = slice.steps.partitioningIndex { $0.first >= wanted.upperBound }
      for place in slice.steps[max(start - 1, 0)..<end] {
        let rows = try rows(in: place, of: list)
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
      throw StoreError.corrupt(reason: "change \(next) of a slice is missing")
    }
  }

  /// Returns the rows of a block of steps. Keeps the rows of the last block, since an item's
  /// history often reads them again.
  func rows(in place: Slice.Place, of list: ListKey) throws -> [ChangeRow] {
    if let lastSteps, lastSteps.list == list, lastSteps.block == place.block {
      return lastSteps.rows
    }
    var rows: [ChangeRow] = []
    try blocks([place], of: list) { _, block throws(ByteReader.Malformed) in
      rows = try StepsBlock.rows(block.bytes, of: list, from: place.first)
    }
    lastSteps = (list, place.block, rows)
    return rows
  }

  /// Passes the packed changes of an item to a receiver, newest first, until it returns false.
  ///
  /// - Parameter range: of the changes; its bounds are those of steps.
  /// - Returns: whether the receiver wants more.
  /// - Complexity: reads the blocks that have the item's changes down to the last one passed, and
  ///   the blocks of their steps.
  func packedHistory(
    of item: ItemKey, within range: Range<Int64>, in list: ListKey,
    _ receive: (ChangeRow) throws -> Bool
  ) throws -> Bool {
    for slice in try slices(of: list).reversed()
    where slice.changes.overlaps(range) && slice.changes.upperBound > item.sequence {
      var isWanted = true
      _ = try forEachStep(of: item.sequence, in: slice, of: list) { step in
        let changes = try self.changes(of: step, in: slice, of: list)
        if changes.lowerBound >= range.upperBound { return true }
        if changes.lowerBound < range.lowerBound { return false }
        var found: ChangeRow?
        try packedRows(changes, of: list) { if $0.item == item { found = $0 } }
        guard let found else {
          throw StoreError.corrupt(reason: "a step of an item is missing in a slice")
        }
        isWanted = try receive(found)
        return isWanted
      }
      if !isWanted { return false }
    }
    return true
  }

  /// Passes the steps of a slice that changed an item to a receiver, newest first, until it returns
  /// false.
  ///
  /// - Returns: whether the receiver wants more.
  private func forEachStep(
    of item: Int64, in slice: Slice, of list: ListKey, _ receive: (Int) throws -> Bool
  ) throws -> Bool {
    func steps(in places: [Slice.Place]) throws -> [Int] {
      var steps: [Int?] = []
      try contents(places, of: slice, in: list) { _, block throws(ByteReader.Malformed) in
        for entry in block.entries(of: item) {
          steps += block.touches[entry.touches].map(\.step)
        }
      }
      return try steps.map { try $0 ?? self.steps(of: [item], in: slice, of: list)[0] }
    }
    // The front has one of them, which may not be the newest.
    var front = try steps(in: Array(slice.front[slice.front.holding(item)]))
    for place in slice.back[slice.back.holding(item)] {
      for step in try steps(in: [place]) {
        while let next = front.last, next > step {
          front.removeLast()
          if try !receive(next) { return false }
        }
        if try !receive(step) { return false }
      }
    }
    for step in front where try !receive(step) { return false }
    return true
  }
}
