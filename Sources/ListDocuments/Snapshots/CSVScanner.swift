import ListModel

/// A cell of CSV text, decoded.
struct CSVCell {
  /// Where the cell's bytes lie: in `unescaped`, or else in the text.
  let range: Range<Int>
  /// Nil where the text holds the cell as it is.
  let unescaped: [UInt8]?

  func bytes(in text: [UInt8]) -> ArraySlice<UInt8> { (unescaped ?? text)[range] }
}

/// Splits CSV text into rows of cells (RFC 4180): cells may be quoted, a quote inside is doubled,
/// and quoted cells may hold separators and line ends. Lines end with LF, CRLF or CR. A quote
/// inside a cell that does not start with one is an ordinary character.
struct CSVScanner {
  private let bytes: [UInt8]
  private let separator: UInt8
  private let rowByteLimit: Int
  /// The index of the next byte to read.
  private(set) var index: Int

  /// Starts at the first byte, or behind a byte order mark.
  ///
  /// - Parameter rowByteLimit: how long a row may be; a longer one is read no further.
  init(_ bytes: [UInt8], separator: UInt8, rowByteLimit: Int = .max) {
    self.bytes = bytes
    self.separator = separator
    self.rowByteLimit = rowByteLimit
    index = ByteOrderMark.textStart(in: bytes)
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  mutating func skipBlankLines() {
    while let byte = current, Self.isLineEnd(byte) { index += 1 }
  }

  /// The cells of the next row; nil at the end.
  mutating func row() throws(SnapshotError) -> [CSVCell]? {
    skipBlankLines()
    guard current != nil else { return nil }
    let start = index
    var cells: [CSVCell] = []
    repeat {
      cells.append(try cell())
      guard index - start <= rowByteLimit else {
        throw .limit(
          ExceededLimit(.itemBytes, bound: rowByteLimit),
          at: TextPosition(offset: start, in: bytes))
      }
    } while takeSeparator()
    return cells
  }

  /// Passes over a row that is known to end at an index; the index must be that of a line end, or
  /// of the end of the text.
  mutating func move(to end: Int) { index = end }

  /// Whether a row may end at an index.
  func isRowEnd(_ index: Int) -> Bool { index == bytes.count || Self.isLineEnd(bytes[index]) }

  private mutating func takeSeparator() -> Bool {
    guard current == separator else { return false }
    index += 1
    return true
  }

  private mutating func cell() throws(SnapshotError) -> CSVCell {
    if current == UInt8(ascii: "\"") { return try quotedCell() }
    let start = index
    while let byte = current, byte != separator, !Self.isLineEnd(byte) { try advance(over: byte) }
    return CSVCell(range: start..<index, unescaped: nil)
  }

  private mutating func quotedCell() throws(SnapshotError) -> CSVCell {
    let opening = index
    var unescaped: [UInt8] = []
    index += 1
    // What was not copied yet starts here.
    var start = index
    while let byte = current {
      guard byte == UInt8(ascii: "\"") else {
        try advance(over: byte)
        continue
      }
      index += 1
      if current == UInt8(ascii: "\"") {
        unescaped.append(contentsOf: bytes[start..<index])
        index += 1
        start = index
      } else {
        let rest = start..<index - 1
        guard !unescaped.isEmpty else { return try closed(CSVCell(range: rest, unescaped: nil)) }
        unescaped.append(contentsOf: bytes[rest])
        return try closed(CSVCell(range: unescaped.indices, unescaped: unescaped))
      }
    }
    throw .csv(.unclosedQuote, at: TextPosition(offset: opening, in: bytes))
  }

  private func closed(_ cell: CSVCell) throws(SnapshotError) -> CSVCell {
    guard let byte = current, byte != separator, !Self.isLineEnd(byte) else { return cell }
    throw .csv(.textAfterQuote, at: TextPosition(offset: index, in: bytes))
  }

  private mutating func advance(over byte: UInt8) throws(SnapshotError) {
    guard byte >= 0x80 else {
      index += 1
      return
    }
    guard let length = UTF8Sequence.byteCount(at: index, in: bytes) else {
      throw .csv(.notUTF8, at: TextPosition(offset: index, in: bytes))
    }
    index += length
  }
}
