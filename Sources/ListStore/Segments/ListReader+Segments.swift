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
