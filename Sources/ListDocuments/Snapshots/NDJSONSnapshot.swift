import ListModel

/// One JSON value after another, each on a line of its own.
struct NDJSONSnapshot {
  private let bytes: [UInt8]
  private let itemReader: ItemReader

  init(_ bytes: [UInt8], itemReader: ItemReader) {
    self.bytes = bytes
    self.itemReader = itemReader
  }

  func forEachItem(
    _ body: (ReadItem) -> Void
  ) throws(SnapshotError) {
    var parser = JSONParser(bytes)
    parser.skipWhitespace()
    guard parser.current != nil else { return }
    do throws(JSONError) {
      try itemReader.forEachItem(&parser, body) { [bytes] parser throws(JSONError) in
        let end = parser.index
        parser.skipWhitespace()
        guard parser.current != nil else { return false }
        guard bytes[end..<parser.index].contains(UInt8(ascii: "\n")) else {
          throw parser.unexpected("a line end between two items")
        }
        return true
      }
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
  }
}
