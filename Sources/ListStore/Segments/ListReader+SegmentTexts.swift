import ListChanges
import ListModel

/// The ids and contents in a list's segments.
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
  func contents(
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
