import ListModel

/// The items of a file that has been read, with their places in it.
struct KnownItems: Sendable {
  let bytes: [UInt8]
  var items: [ReadItem] = []
  /// Where the items end, by their indexes.
  var ends: [Int] = []
}

/// Reads the items of a file of which an earlier version is known: an item that stands in both with
/// the same bytes is taken over, at the cost of comparing them.
///
/// An item is looked for where it should be, behind the one found last; so an item that was edited,
/// inserted or moved, and the first one behind a gap, are read as if nothing was known.
final class RecallingItemReader {
  private let idRule: IDRule
  private let known: KnownItems
  /// The index of the known item that should come next.
  private var expected = 0
  private lazy var indexes = Dictionary(
    known.items.indices.compactMap { index in known.items[index].id.map { ($0, index) } },
    uniquingKeysWith: { first, _ in first })

  /// What was read of the new file so far.
  private(set) var read: KnownItems
  /// How many items were taken over.
  private(set) var recalledCount = 0

  init(_ bytes: [UInt8], idRule: IDRule, known: KnownItems) {
    self.idRule = idRule
    self.known = known
    read = KnownItems(bytes: bytes)
  }

  /// As ``ItemReader/forEachItem(_:_:advance:)``.
  func forEachItem(
    _ parser: inout JSONParser, _ body: (ReadItem) -> Void, advance: ItemReader.Advance
  ) throws(JSONError) {
    repeat {
      let recalled = recalledItem(&parser)
      let item = if let recalled { recalled } else { try newItem(&parser) }
      read.items.append(item)
      read.ends.append(parser.index)
      body(item)
    } while try advance(&parser)
  }

  private func recalledItem(_ parser: inout JSONParser) -> ReadItem? {
    guard expected < known.items.count else { return nil }
    let old = known.items[expected]
    let byteCount = known.ends[expected] - old.offset
    let start = parser.index
    guard read.bytes.count - start >= byteCount, Self.endsByItself(known.bytes[old.offset]),
      known.bytes[old.offset..<old.offset + byteCount]
        .elementsEqual(read.bytes[start..<start + byteCount])
    else { return nil }
    parser.move(to: start + byteCount)
    expected += 1
    recalledCount += 1
    return ReadItem(old.content, id: old.id, at: start)
  }

  /// Whether the last byte of a value that starts so is its end whatever follows; after the 1 of a
  /// number, a digit could.
  private static func endsByItself(_ first: UInt8) -> Bool {
    first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
  }

  private func newItem(_ parser: inout JSONParser) throws(JSONError) -> ReadItem {
    let offset = parser.index
    let content = Content(canonicalBytes: try parser.canonicalValue())
    let item = ReadItem(content, idRule: idRule, at: offset)
    if let index = item.id.flatMap({ indexes[$0] }) { expected = index + 1 }
    return item
  }
}
