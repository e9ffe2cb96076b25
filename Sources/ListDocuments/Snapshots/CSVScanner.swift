import ListModel

/// A cell of CSV text, decoded.
struct CSVCell {
  /// The range of the cell's bytes: in `unescaped`, or else in the text.
  let range: Range<Int>
  /// Nil when the text holds the decoded cell.
  let unescaped: [UInt8]?

  func bytes(in text: [UInt8]) -> ArraySlice<UInt8> { (unescaped ?? text)[range] }
}

/// Splits CSV text into rows of cells (RFC 4180). Cells may be quoted; then quotes inside are
/// doubled, and the cell may hold separators and line ends. Lines end with LF, CRLF or CR. A quote
/// inside a cell that does not start with one is an ordinary character; without quoting, every
/// quote is one.
struct CSVScanner {
  private let bytes: [UInt8]
  private let separator: UInt8
  private let hasQuotedCells: Bool
  private let rowByteLimit: Int
  /// The index of the next byte to read.
  private(set) var index: Int
  /// Whether a cell of the last row has a quote behind blanks, where it is an ordinary character.
  private(set) var hasQuoteAfterBlank = false

  /// Starts at the first byte, or behind a byte order mark and a line that names the separator.
  ///
  /// - Parameter rowByteLimit: the highest length of a row; reading stops at a longer one.
  init(
    _ bytes: [UInt8], separator: UInt8, quoting: SnapshotOptions.Quoting = .standard,
    rowByteLimit: Int = .max
  ) {
    self.bytes = bytes
    self.separator = separator
    hasQuotedCells = quoting == .standard
    self.rowByteLimit = rowByteLimit
    index = SeparatorLine(bytes)?.end ?? bytes.textStart
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
    hasQuoteAfterBlank = false
    repeat {
      cells.append(try cell())
      guard index - start <= rowByteLimit else {
        throw .limit(
          ExceededLimit(.itemBytes, bound: rowByteLimit),
          at: TextPosition(offset: start, in: bytes))
      }
    } while skipSeparator()
    return cells
  }

  /// Skips a row that is known to end at an index, which must satisfy ``isRowEnd(_:)``.
  mutating func move(to end: Int) { index = end }

  /// Whether the text ends inside a line.
  var endsInsideLine: Bool { bytes.last.map { !Self.isLineEnd($0) } ?? false }

  /// Whether a row may end at an index.
  func isRowEnd(_ index: Int) -> Bool { index == bytes.count || Self.isLineEnd(bytes[index]) }

  private mutating func skipSeparator() -> Bool {
    guard current == separator else { return false }
    index += 1
    return true
  }

  private mutating func cell() throws(SnapshotError) -> CSVCell {
    if hasQuotedCells, current == UInt8(ascii: "\"") { return try quotedCell() }
    let start = index
    if hasQuotedCells, current == UInt8(ascii: " ") {
      let text = bytes[start...].drop { $0 == UInt8(ascii: " ") }
      if text.first == UInt8(ascii: "\"") { hasQuoteAfterBlank = true }
    }
    while let byte = current, byte != separator, !Self.isLineEnd(byte) { try advance(over: byte) }
    return CSVCell(range: start..<index, unescaped: nil)
  }

  private mutating func quotedCell() throws(SnapshotError) -> CSVCell {
    let opening = index
    var unescaped: [UInt8] = []
    index += 1
    // The start of the bytes still to be copied.
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

/// A first line such as `sep=;`, with which Excel is told the separator.
struct SeparatorLine {
  let separator: UInt8
  /// The index behind the separator.
  let end: Int

  /// Nil if the text does not begin with such a line.
  init?(_ bytes: [UInt8]) {
    let start = Array("sep=".utf8)
    let index = bytes.textStart + start.count
    guard index < bytes.count, bytes[bytes.textStart...].starts(with: start), bytes[index] < 0x80,
      index + 1 == bytes.count || [0x0A, 0x0D].contains(bytes[index + 1])
    else { return nil }
    (separator, end) = (bytes[index], index + 1)
  }
}
