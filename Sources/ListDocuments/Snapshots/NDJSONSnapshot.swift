import ListModel

/// One JSON value after another, each on a line of its own.
struct NDJSONSnapshot {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func forEachItem(
    _ body: (_ content: Content, _ offset: Int) -> Void
  ) throws(SnapshotError) {
    var parser = JSONParser(bytes)
    do throws(JSONError) {
      parser.skipWhitespace()
      while parser.current != nil {
        let offset = parser.index
        body(Content(canonicalBytes: try parser.canonicalValue()), offset)
        let end = parser.index
        parser.skipWhitespace()
        if parser.current != nil, !bytes[end..<parser.index].contains(UInt8(ascii: "\n")) {
          throw parser.unexpected("a line end between two items")
        }
      }
    } catch {
      throw .json(error, at: TextPosition(offset: error.offset, in: bytes))
    }
  }
}
