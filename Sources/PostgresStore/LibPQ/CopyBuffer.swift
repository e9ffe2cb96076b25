import ListStore

/// Rows in the binary format of COPY.
///
/// - Source: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
struct CopyBuffer {
  static let pieceByteCount = 1 << 16
  private(set) var bytes: [UInt8]

  init() {
    bytes = Array("PGCOPY\n".utf8) + [0xff] + Array("\r\n".utf8) + [0]
    bytes += [UInt8](repeating: 0, count: 8)
    bytes.reserveCapacity(Self.pieceByteCount * 2)
  }

  mutating func write(_ row: LogRow, of layout: TableLayout) {
    append(Int16(row.cells.count))
    for (cell, column) in zip(row.cells, layout.columns) {
      switch cell {
      case .null: append(Int32(-1))
      case .integer(let number):
        // A digest of 24 bits is in a column of 4 bytes, every other integer in one of 8.
        if column.name == "digest" {
          append(Int32(4))
          append(Int32(truncatingIfNeeded: number))
        } else {
          append(Int32(8))
          append(number)
        }
      case .bytes(let value):
        append(Int32(value.count))
        bytes.append(contentsOf: value)
      }
    }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func finish() { append(Int16(-1)) }

  /// Removes the rows, after they were sent.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
