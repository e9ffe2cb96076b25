import ListModel

/// One JSON value after another, each on a line of its own.
struct NDJSONSnapshot {
  private let bytes: [UInt8]
  private let limits: Limits
  private let itemReader: ItemReader

  init(_ bytes: [UInt8], _ limits: Limits, itemReader: ItemReader) {
    self.bytes = bytes
    self.limits = limits
    self.itemReader = itemReader
  }

  func forEachItem(
    _ body: ItemReader.Body
  ) throws(SnapshotError) {
    var parser = JSONParser(bytes, limits: limits)
    parser.byteLimit = limits[.itemBytes]
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
      throw SnapshotError(error, in: bytes)
    }
  }
}
