import TestSupport
import Testing

@testable import ListStore

@Suite struct ByteCodingTests {
  /// Every number at the edge of a length, and some between.
  private static let numbers: [UInt64] =
    (0...63).flatMap { (shift: Int) -> [UInt64] in
      let power = UInt64(1) << shift
      return [power - 1, power, power + 1]
    } + [UInt64.max - 1, .max]

  @Test func numbersRoundTripInTheFewestBytes() throws {
    for number in Self.numbers {
      var writer = ByteWriter()
      writer.write(number)
      let bitCount = max(1, UInt64.bitWidth - number.leadingZeroBitCount)
      #expect(writer.bytes.count == (bitCount + 6) / 7, "\(number)")
      var reader = ByteReader(writer.bytes)
      #expect(try reader.number() == number)
      #expect(reader.isAtEnd)
    }
  }

  @Test func signedNumbersRoundTripAndSmallOnesTakeOneByte() throws {
    let numbers = Self.numbers.map { Int64(bitPattern: $0) }
    for number in numbers + numbers.map({ 0 &- $0 }) + [.min, .max] {
      var writer = ByteWriter()
      writer.write(signed: number)
      if (-64...63).contains(number) { #expect(writer.bytes.count == 1, "\(number)") }
      var reader = ByteReader(writer.bytes)
      #expect(try reader.signed() == number)
      #expect(reader.isAtEnd)
    }
  }

  @Test func everyPrefixOfANumberIsRefused() {
    for number in Self.numbers {
      var writer = ByteWriter()
      writer.write(number)
      for length in 0..<writer.bytes.count {
        var reader = ByteReader(Array(writer.bytes.prefix(length)))
        #expect(throws: ByteReader.Malformed.self) { try reader.number() }
      }
    }
  }

  @Test(arguments: [
    // 2⁶⁴ and more, in ten bytes; and eleven bytes.
    Array(repeating: UInt8(0x80), count: 9) + [2], Array(repeating: 0xFF, count: 9) + [3],
    Array(repeating: 0xFF, count: 10), Array(repeating: 0x80, count: 10) + [0],
    Array(repeating: 0xFF, count: 9) + [0x81, 0],
  ])
  func numberTooLargeForItsTypeIsRefused(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    #expect(throws: ByteReader.Malformed.self) { try reader.number() }
  }

  @Test func aCountAboveItsLimitIsRefused() throws {
    for (number, limit) in [(8, 7), (1, 0), (UInt64(1) << 63, Int.max), (.max, .max)] {
      var writer = ByteWriter()
      writer.write(number)
      var reader = ByteReader(writer.bytes)
      #expect(throws: ByteReader.Malformed.self) { try reader.count(upTo: limit) }
    }
    var writer = ByteWriter()
    writer.write(count: .max)
    var reader = ByteReader(writer.bytes)
    #expect(try reader.count(upTo: .max) == .max)
  }

  @Test func readerRefusesToReadPastTheEnd() throws {
    var reader = ByteReader([1, 2, 3], from: 1)
    for count in [-1, 3, .max, .min] {
      #expect(throws: ByteReader.Malformed.self) { try reader.bytes(count) }
    }
    #expect(try reader.bytes(2) == [2, 3])
    #expect(try reader.bytes(0) == [])
    #expect(throws: ByteReader.Malformed.self) { try reader.byte() }
    #expect(reader.isAtEnd)
  }
}
