/// A writer of numbers as bytes. Small numbers take few bytes.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func write(_ bytes: some Sequence<UInt8>) { self.bytes.append(contentsOf: bytes) }

  /// Writes seven bits per byte, lowest first; the high bit marks that more bytes follow (LEB128).
  mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// - Precondition: The count is not negative.
  mutating func write(count: Int) { write(UInt64(count)) }

  /// Writes 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …, so small negative numbers are short, too.
  mutating func write(signed number: Int64) { write(number.zigzag) }
}

/// A reader of the bytes of a ``ByteWriter``. It never reads past their end.
///
/// Bytes may be hostile, even if their digests are right. So decoders calculate with numbers from
/// ``count(upTo:)`` and ``number(from:in:)`` only.
struct ByteReader {
  /// Thrown when the bytes were not written by a ``ByteWriter``.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private let end: Int
  private(set) var index: Int

  init(_ bytes: [UInt8], from index: Int = 0) { self.init(bytes, in: index..<bytes.count) }

  /// - Precondition: The bytes contain the range.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    (index, end) = (range.lowerBound, range.upperBound)
  }

  var isAtEnd: Bool { index == end }
  /// The number of bytes that are still to be read.
  var count: Int { end - index }

  mutating func byte() throws(Malformed) -> UInt8 {
    guard index < end else { throw Malformed() }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func bytes(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, count <= end - index else { throw Malformed() }
    defer { index += count }
    return bytes[index..<index + count]
  }

  mutating func number() throws(Malformed) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      // The tenth byte holds only the last bit.
      guard shift < 63 || byte <= 1 else { throw Malformed() }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  /// Reads a number from 0 to a limit. No number is below a negative limit.
  mutating func count(upTo limit: Int) throws(Malformed) -> Int {
    let number = try number()
    guard limit >= 0, number <= UInt64(limit) else { throw Malformed() }
    return Int(number)
  }

  mutating func signed() throws(Malformed) -> Int64 {
    Int64(zigzag: try number())
  }

  /// Reads a signed distance from another number, and returns the number to which it leads.
  ///
  /// - Throws: `Malformed` if this number is not in the range.
  mutating func number(
    from base: Int64, in range: ClosedRange<Int64>
  ) throws(Malformed) -> Int64 {
    let (sum, overflows) = base.addingReportingOverflow(try signed())
    guard !overflows, range.contains(sum) else { throw Malformed() }
    return sum
  }

  /// Reads a count, and returns a reader of that many of the next bytes.
  mutating func part() throws(Malformed) -> ByteReader {
    let count = try count(upTo: end - index)
    let start = index
    _ = try bytes(count)
    return ByteReader(bytes, in: start..<index)
  }
}

extension Int64 {
  /// The number without a sign: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
  var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

  init(zigzag number: UInt64) {
    self = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }
}
