#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension [UInt8] {
  /// The index of the first byte of a text, behind a UTF-8 byte order mark if there is one.
  package var textStart: Int { starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// Whether the bytes of a range equal those of another array from an index on.
  package func hasBytes(_ range: Range<Int>, equalTo other: [UInt8], from start: Int) -> Bool {
    guard range.lowerBound >= 0, range.upperBound <= count, start >= 0,
      start + range.count <= other.count
    else { return false }
    return withUnsafeBytes { mine in
      other.withUnsafeBytes { others in
        guard let a = mine.baseAddress, let b = others.baseAddress else { return range.isEmpty }
        return memcmp(a + range.lowerBound, b + start, range.count) == 0
      }
    }
  }

  /// Appends the bytes of a range; a slice would cost reference counting.
  mutating func append(_ range: Range<Int>, of source: [UInt8]) {
    source.withUnsafeBufferPointer { append(contentsOf: $0[range]) }
  }

  /// A copy of a range, of exactly its size.
  init(copying range: Range<Int>, of source: [UInt8]) {
    self = source.withUnsafeBufferPointer { Array($0[range]) }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes of a range, which must be there, are those of another buffer.
  func has(_ other: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
    guard range.count == other.count, let a = baseAddress, let b = other.baseAddress else {
      return false
    }
    return memcmp(a + range.lowerBound, b, range.count) == 0
  }
}
