import ListModel
import Testing

struct PlainASCIITests {
  private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  @Test("the end of plain bytes is found for every byte at every place of a word and its tail")
  func everyByteAtEveryPlace() {
    for count in 0...17 {
      for place in 0..<count {
        for byte in UInt8.min...UInt8.max {
          var bytes = Array(repeating: UInt8(ascii: "a"), count: count)
          bytes[place] = byte
          #expect(
            PlainASCII.end(from: 0, in: bytes) == (isPlain(byte) ? count : place),
            "\(byte) at \(place) of \(count)")
        }
      }
    }
  }

  @Test("every pair of neighbours is told apart, whatever the first one borrows")
  func everyPair() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [0x61, first, second, 0x61, 0x61, 0x61, 0x61, 0x61]
        let expected = bytes.firstIndex { !isPlain($0) } ?? 8
        #expect(PlainASCII.end(from: 0, in: bytes) == expected)
        #expect(PlainASCII.end(from: 2, in: bytes) == (isPlain(second) ? 8 : 2))
      }
    }
  }
}
