/// Rows in the binary format of COPY, sent in pieces.
///
/// - Source: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
struct CopyBuffer {
  private static let pieceByteCount = 1 << 16
  private var bytes: [UInt8]
  private let send: ([UInt8]) throws -> Void

  init(send: @escaping ([UInt8]) throws -> Void) {
    self.send = send
    bytes = Array("PGCOPY\n".utf8) + [0xff] + Array("\r\n".utf8) + [0]
    bytes += [UInt8](repeating: 0, count: 8)
    bytes.reserveCapacity(Self.pieceByteCount * 2)
  }

  /// Begins a row of so many columns.
  mutating func begin(columnCount: Int) throws {
    if bytes.count >= Self.pieceByteCount {
      try send(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    append(Int16(columnCount))
  }

  mutating func write(_ value: Value, _ type: ColumnType) {
    switch value {
    case .integer(let number):
      append(Int32(type.byteCount ?? 8))
      switch type {
      case .short: append(Int16(number))
      case .int: append(Int32(number))
      case .big, .bytes: append(number)
      }
    case .bytes(let array):
      append(Int32(array.count))
      bytes += array
    case .null, .string, .integers, .byteArrays: append(Int32(-1))
    }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func finish() throws {
    append(Int16(-1))
    try send(bytes)
  }
}

/// The types of the columns.
enum ColumnType {
  case short, int, big, bytes

  /// Nil for a type of any length.
  var byteCount: Int? {
    switch self {
    case .short: 2
    case .int: 4
    case .big: 8
    case .bytes: nil
    }
  }
}
