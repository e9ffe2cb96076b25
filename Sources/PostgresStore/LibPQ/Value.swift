import ListStore

/// A value for a parameter of a statement, in PostgreSQL's binary format: big-endian integers, and
/// bytes.
///
/// Texts are stored as bytes. So they are compared byte by byte, whatever the database's collation
/// is, and may contain U+0000.
enum Value {
  case null
  case integer(Int64)
  case bytes([UInt8])
  /// A value of type `text`, which no column has.
  case string(String)
  /// A value of type `bigint[]`.
  case integers([Int64])

  init(_ value: LogValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }
}

extension Value {
  /// The number of the type, which is the same on every server; 0 lets the server infer the type.
  var typeNumber: UInt32 {
    switch self {
    case .null: 0
    case .integer: 20
    case .bytes: 17
    case .string: 25
    case .integers: 1016
    }
  }

  /// The value in the binary format; nil for null.
  var encoded: [UInt8]? {
    switch self {
    case .null: nil
    case .integer(let number): number.bigEndianBytes
    case .bytes(let bytes): bytes
    case .string(let text): Array(text.utf8)
    case .integers(let numbers): Self.array(of: numbers)
    }
  }

  /// Encodes numbers as an array of one dimension.
  ///
  /// - Source: `array_recv` in PostgreSQL's `arrayfuncs.c`: dimensions, flag for nulls, type of the
  ///   elements, then length and lower bound of each dimension.
  private static func array(of numbers: [Int64]) -> [UInt8] {
    let isEmpty = numbers.isEmpty
    var array: [UInt8] = []
    array.reserveCapacity(20 + 12 * numbers.count)
    for part in [isEmpty ? 0 : 1, 0, 20] + (isEmpty ? [] : [Int32(numbers.count), 1]) {
      array += part.bigEndianBytes
    }
    for number in numbers { array += Int32(8).bigEndianBytes + number.bigEndianBytes }
    return array
  }
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
