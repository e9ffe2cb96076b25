import ListModel

/// The JSON values of a text, one after the other. Each begins on a line of its own, and may span
/// several lines.
struct JSONValues {
  private let bytes: [UInt8]
  private var parser: JSONParser
  /// The offset of the last value.
  private(set) var start = 0
  private var isStarted = false

  /// - Parameter envelopeDepth: as in ``JSONParser``.
  init(_ bytes: [UInt8], limits: Limits, envelopeDepth: Int) {
    self.bytes = bytes
    parser = JSONParser(bytes, limits: limits, envelopeDepth: envelopeDepth)
  }

  /// The next value; nil at the end.
  ///
  /// - Throws: `JSONError` at the first byte that cannot be there.
  mutating func next() throws(JSONError) -> Content? {
    let end = parser.index
    parser.skipWhitespace()
    guard parser.current != nil else { return nil }
    guard !isStarted || bytes[end..<parser.index].contains(UInt8(ascii: "\n")) else {
      throw parser.unexpected("a line end between two values")
    }
    (isStarted, start) = (true, parser.index)
    return Content(canonicalBytes: try parser.canonicalValue())
  }

  /// The place of an offset in the text.
  func position(of offset: Int) -> TextPosition { TextPosition(offset: offset, in: bytes) }
}
