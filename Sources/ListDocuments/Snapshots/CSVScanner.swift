import ListModel

/// Splits CSV text into rows of cells (RFC 4180): cells may be quoted, a quote inside is doubled,
/// and quoted cells may hold separators and line ends. Lines end with LF, CRLF or CR. A quote
/// inside a cell that does not start with one is an ordinary character.
struct CSVScanner {
  private let bytes: [UInt8]
  private let separator: UInt8
  /// The index of the next byte to read.
  private(set) var index: Int

  /// Starts at the first byte, or behind a byte order mark.
  init(_ bytes: [UInt8], separator: UInt8) {
    self.bytes = bytes
    self.separator = separator
    index = ByteOrderMark.textStart(in: bytes)
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  mutating func skipBlankLines() {
    while let byte = current, Self.isLineEnd(byte) { index += 1 }
  }

  /// The cells of the next row, decoded; nil at the end.
  mutating func row() throws(SnapshotError) -> [[UInt8]]? {
    skipBlankLines()
    guard current != nil else { return nil }
    var cells: [[UInt8]] = []
    repeat { cells.append(try cell()) } while takeSeparator()
    return cells
  }

  private mutating func takeSeparator() -> Bool {
    guard current == separator else { return false }
    index += 1
    return true
  }

  private mutating func cell() throws(SnapshotError) -> [UInt8] {
    if current == UInt8(ascii: "\"") { return try quotedCell() }
    let start = index
    while let byte = current, byte != separator, !Self.isLineEnd(byte) { try advance(over: byte) }
    return Array(bytes[start..<index])
  }

  private mutating func quotedCell() throws(SnapshotError) -> [UInt8] {
    let opening = index
    var cell: [UInt8] = []
    index += 1
    while let byte = current {
      let start = index
      if byte != UInt8(ascii: "\"") {
        try advance(over: byte)
        cell.append(contentsOf: bytes[start..<index])
        continue
      }
      index += 1
      if current == UInt8(ascii: "\"") {
        cell.append(byte)
        index += 1
      } else {
        return try closed(cell)
      }
    }
    throw .csv(.unclosedQuote, at: TextPosition(offset: opening, in: bytes))
  }

  private func closed(_ cell: [UInt8]) throws(SnapshotError) -> [UInt8] {
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
