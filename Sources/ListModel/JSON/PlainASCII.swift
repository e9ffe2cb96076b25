/// The bytes of a JSON string that need no escape and no check of their neighbours: 0x20 to 0x7F
/// except the quote and the backslash.
package enum PlainASCII {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The index of the first byte from `start` on that is not plain; the limit or the end when there
  /// is none before.
  ///
  /// - Complexity: O(skipped bytes), eight at a time.
  package static func end(from start: Int, before limit: Int = .max, in bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { bytes in
      end(from: start, in: UnsafeRawBufferPointer(rebasing: bytes[..<min(limit, bytes.count)]))
    }
  }

  static func end(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let marks = marks(in: word)
      if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, isPlain(bytes[index]) { index += 1 }
    return index
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// A word whose lowest set bit is the high bit of the first byte that is not plain.
  ///
  /// A subtraction borrows from the next byte only at a byte that is found, so only bits above the
  /// lowest one can be wrong (S. E. Anderson, "Bit Twiddling Hacks": a zero in a word).
  private static func marks(in word: UInt64) -> UInt64 {
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let found =
      ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
      | ((word &- ones &* 0x20) & ~word) | word
    return found & highBits
  }
}
