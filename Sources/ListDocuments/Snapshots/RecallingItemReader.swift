import ListModel

/// Reads the items of a JSON file of which an earlier version is known.
struct RecallingItemReader {
  private let idRule: IDRule
  private let bytes: [UInt8]
  let recaller: ItemRecaller

  init(_ bytes: [UInt8], idRule: IDRule, recaller: ItemRecaller) {
    self.bytes = bytes
    self.idRule = idRule
    self.recaller = recaller
  }

  /// As ``ItemReader/forEachItem(_:_:advance:)``.
  func forEachItem(
    _ parser: inout JSONParser, _ body: ItemReader.Body, advance: ItemReader.Advance
  ) throws(JSONError) {
    // The items of a table are others, even where their bytes are the same.
    if !recaller.begins(with: []) { recaller.forget() }
    repeat {
      let start = parser.index
      let endsByItself = start < bytes.count && Self.endsByItself(bytes[start])
      if let (item, end) = recaller.item(at: start, endingWhere: { _ in endsByItself }) {
        parser.move(to: end)
        try body(item)
      } else {
        let content = Content(canonicalBytes: try parser.canonicalValue())
        let item = ReadItem(content, idRule: idRule, at: start)
        recaller.note(item, end: parser.index)
        try body(item)
      }
    } while try advance(&parser)
  }

  /// Whether the last byte of a value that starts so is its end whatever follows; after the 1 of a
  /// number, a digit could.
  private static func endsByItself(_ first: UInt8) -> Bool {
    first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
  }
}
