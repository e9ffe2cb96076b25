extension [UInt8] {
  /// Appends the bytes of a range: a slice would be counted as a reference, once for every word.
  mutating func append(_ range: Range<Int>, of source: [UInt8]) {
    source.withUnsafeBufferPointer { append(contentsOf: $0[range]) }
  }

  /// A copy of a range, of exactly its size.
  init(copying range: Range<Int>, of source: [UInt8]) {
    self = source.withUnsafeBufferPointer { Array($0[range]) }
  }
}
