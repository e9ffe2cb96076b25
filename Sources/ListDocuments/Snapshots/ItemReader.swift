import ListModel

/// Reads successive items of a JSON text. It takes known items from an earlier version of the file,
/// if there is one; else it reads long runs in chunks, as a rule on all cores.
struct ItemReader {
  /// Moves from the end of an item to the start of the next; false at the end of the run.
  typealias Advance = @Sendable (inout JSONParser) throws(JSONError) -> Bool

  /// Receives what is kept of an item.
  typealias Body<Element: FileElement> = (Element) throws(JSONError) -> Void

  static let standardChunkByteCount = 1 << 19
  /// The number of chunks that are read before their items are passed on.
  private static let chunksPerRound = 32

  let bytes: [UInt8]
  let options: SnapshotOptions
  var chunkByteCount = Self.standardChunkByteCount
  /// The known items; nil where there is no earlier version of the file.
  var recaller: ItemRecaller?

  var chunks: ChunkReader {
    ChunkReader(bytes: bytes, idRule: options.idRule, limits: options.limits)
  }

  /// Passes on the items from the parser's index on, in their order.
  ///
  /// - Throws: `JSONError`, the first in the text, after the items before it were passed on; errors
  ///   of the body.
  func forEachItem<Element: FileElement>(
    _ parser: inout JSONParser, _ body: Body<Element>, advance: Advance
  ) throws(JSONError) {
    parser.byteLimit = options.limits[.itemBytes]
    if let recaller { return try forEachItem(&parser, body, advance, recaller) }
    let chunks = chunks
    let boundary = ItemBoundary(firstItemAt: parser.index, in: bytes)
    while let boundary, parser.index + 2 * chunkByteCount < bytes.count {
      let starts = chunkStarts(from: parser.index, boundary)
      let limit = parser.index + Self.chunksPerRound * chunkByteCount
      let read = { @Sendable (number: Int) -> ChunkReader.Chunk<Element> in
        chunks.read(
          from: starts[number], until: number + 1 < starts.count ? starts[number + 1] : limit,
          advance)
      }
      let found =
        options.usesAllCores
        ? concurrentMap(count: starts.count, read) : starts.indices.map(read)
      for chunk in found where chunk.start == parser.index {
        for item in chunk.items { try body(item) }
        if let error = chunk.error { throw error }
        parser.move(to: chunk.end)
        if chunk.isLast { return }
      }
      // Wrong guesses would go on.
      if parser.index < limit { break }
    }
    _ = try chunks.forEachItem(&parser, until: .max, body, advance)
  }

  /// The probable starts of the chunks of a round, ascending; the first is certain.
  private func chunkStarts(from start: Int, _ boundary: ItemBoundary) -> [Int] {
    [start]
      + (1..<Self.chunksPerRound).compactMap { number in
        let place = start + number * chunkByteCount
        return boundary.next(from: place, limit: place + chunkByteCount, in: bytes)
      }
  }

  private func forEachItem<Element: FileElement>(
    _ parser: inout JSONParser, _ body: Body<Element>, _ advance: Advance,
    _ recaller: ItemRecaller
  ) throws(JSONError) {
    var hasher = ItemHasher()
    // The same bytes are other items in a table.
    if !recaller.begins(with: []) { recaller.forget() }
    repeat {
      let start = parser.index
      let endsByItself = start < bytes.count && Self.endsByItself(bytes[start])
      if let (item, end) = recaller.item(at: start, endingWhere: { _ in endsByItself }) {
        parser.move(to: end)
        try body(Element(item, &hasher))
      } else {
        let content = Content(canonicalBytes: try parser.canonicalValue())
        let item = ReadItem(content, idRule: options.idRule, at: start)
        recaller.append(item, end: parser.index)
        try body(Element(item, &hasher))
      }
    } while try advance(&parser)
  }

  /// Whether the end of a value with this first byte does not depend on the next byte; a number
  /// could go on with another digit.
  private static func endsByItself(_ first: UInt8) -> Bool {
    first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
  }
}

/// Reads one chunk of items.
///
/// Chunks start at probable item starts. The chunk before ends at the first byte of an item, which
/// proves the guess, since reading from there does not depend on earlier bytes. Chunks with another
/// start are discarded, so items and errors are the same as when reading from front to back.
struct ChunkReader: Sendable {
  let bytes: [UInt8]
  let idRule: IDRule
  let limits: Limits

  struct Chunk<Element: FileElement>: Sendable {
    let start: Int
    var items: [Element] = []
    var end = 0
    var isLast = false
    var error: JSONError?
  }

  func read<Element: FileElement>(
    from start: Int, until limit: Int, _ advance: ItemReader.Advance
  ) -> Chunk<Element> {
    var chunk = Chunk<Element>(start: start)
    var parser = parser(at: start)
    do throws(JSONError) {
      chunk.isLast = try forEachItem(&parser, until: limit, { chunk.items.append($0) }, advance)
    } catch {
      chunk.error = error
    }
    chunk.end = parser.index
    return chunk
  }

  private func parser(at start: Int) -> JSONParser {
    var parser = JSONParser(bytes, limits: limits)
    parser.byteLimit = limits[.itemBytes]
    parser.move(to: start)
    return parser
  }

  /// Passes on the items that start before `limit`; returns whether the run ends there.
  func forEachItem<Element: FileElement>(
    _ parser: inout JSONParser, until limit: Int, _ body: ItemReader.Body<Element>,
    _ advance: ItemReader.Advance
  ) throws(JSONError) -> Bool {
    var hasher = ItemHasher()
    while parser.index < limit {
      try body(Element(try item(&parser, isHashed: true), &hasher))
      if try !advance(&parser) { return true }
    }
    return false
  }

  private func item(
    _ parser: inout JSONParser, isHashed: Bool
  ) throws(JSONError) -> ReadItem {
    let offset = parser.index
    let content = Content(canonicalBytes: try parser.canonicalValue())
    return ReadItem(content, idRule: idRule, at: offset, isHashed: isHashed)
  }

  /// A number of items from the start of one on.
  ///
  /// - Precondition: They were read before, without an error.
  func items(_ count: Int, from start: Int, _ advance: ItemReader.Advance) -> [Item] {
    var parser = parser(at: start)
    var items: [Item] = []
    items.reserveCapacity(count)
    do throws(JSONError) {
      while true {
        let item = try item(&parser, isHashed: false)
        items.append(Item(id: item.id ?? "", content: item.content))
        if items.count == count { break }
        guard try advance(&parser) else { break }
      }
    } catch {
      preconditionFailure("the items were read before: \(error)")
    }
    return items
  }
}
