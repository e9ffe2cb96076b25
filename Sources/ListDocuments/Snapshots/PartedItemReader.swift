import ListModel

/// Reads items that follow each other in a JSON text, long runs of them in parts on all cores.
///
/// Parts start where an item seems to start. Whether one does is known when the part before it has
/// been read: it ends on an item's first byte, and what follows that byte is read in the same way
/// whatever was read before. So parts that start elsewhere are thrown away, and items and errors
/// are those of a reader that goes from front to back.
struct PartedItemReader: Sendable {
  static let standardPartByteCount = 1 << 19
  /// Parts that are read before their items are handed out.
  private static let partsPerRound = 32

  private let bytes: [UInt8]
  private let idRule: IDRule
  private let limits: Limits
  private let partByteCount: Int

  init(_ bytes: [UInt8], _ options: SnapshotOptions, partByteCount: Int) {
    self.bytes = bytes
    idRule = options.idRule
    limits = options.limits
    self.partByteCount = partByteCount
  }

  /// Hands out the items from the parser's index on, in their order.
  ///
  /// - Throws: as ``ItemReader/forEachItem(_:_:advance:)`` does.
  func forEachItem(
    _ parser: inout JSONParser, _ body: ItemReader.Body, advance: ItemReader.Advance
  ) throws(JSONError) {
    let boundary = ItemBoundary(firstItemAt: parser.index, in: bytes)
    while let boundary, parser.index + 2 * partByteCount < bytes.count {
      let starts = starts(from: parser.index, boundary)
      let limit = parser.index + Self.partsPerRound * partByteCount
      let parts = concurrentMap(count: starts.count) { number in
        part(
          from: starts[number], until: number + 1 < starts.count ? starts[number + 1] : limit,
          advance)
      }
      for part in parts where part.start == parser.index {
        for item in part.items { try body(item) }
        if let error = part.error { throw error }
        parser.move(to: part.end)
        if part.isLast { return }
      }
      // Where guesses fail, they would go on failing.
      if parser.index < limit { break }
    }
    try forEachItem(&parser, until: .max, body, advance)
  }

  /// Where the parts of a round seem to start, ascending; the first does.
  private func starts(from start: Int, _ boundary: ItemBoundary) -> [Int] {
    var starts = [start]
    for number in 1..<Self.partsPerRound {
      let place = start + number * partByteCount
      guard let guess = boundary.next(from: place, limit: place + partByteCount, in: bytes) else {
        continue
      }
      starts.append(guess)
    }
    return starts
  }

  /// The items that start before `limit`; false when the run goes on behind them.
  @discardableResult
  private func forEachItem(
    _ parser: inout JSONParser, until limit: Int, _ body: ItemReader.Body,
    _ advance: ItemReader.Advance
  ) throws(JSONError) -> Bool {
    while parser.index < limit {
      let offset = parser.index
      let content = Content(canonicalBytes: try parser.canonicalValue())
      try body(ReadItem(content, idRule: idRule, at: offset))
      if try !advance(&parser) { return true }
    }
    return false
  }

  private struct Part: Sendable {
    let start: Int
    var items: [ReadItem] = []
    var end = 0
    var isLast = false
    var error: JSONError?
  }

  private func part(from start: Int, until limit: Int, _ advance: ItemReader.Advance) -> Part {
    var part = Part(start: start)
    var parser = JSONParser(bytes, limits: limits)
    parser.byteLimit = limits[.itemBytes]
    parser.move(to: start)
    do throws(JSONError) {
      part.isLast = try forEachItem(&parser, until: limit, { part.items.append($0) }, advance)
    } catch {
      part.error = error
    }
    part.end = parser.index
    return part
  }
}
