import ListModel
import Testing

struct PlainASCIITests {
  private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  @Test func endOfPlainBytesIsFoundForEveryByteAtEveryPlaceOfAWordAndItsTail() {
    var wrong: [[UInt8]] = []
    for count in 0...17 {
      for place in 0..<count {
        for byte in UInt8.min...UInt8.max {
          var bytes = Array(repeating: UInt8(ascii: "a"), count: count)
          bytes[place] = byte
          let expected = isPlain(byte) ? count : place
          if PlainASCII.end(from: 0, in: bytes) != expected { wrong.append(bytes) }
          let behind = min(place + 1, count)
          if PlainASCII.end(from: behind, in: bytes) != count { wrong.append(bytes) }
          for limit in 0...count
          where PlainASCII.end(from: 0, before: limit, in: bytes) != min(expected, limit) {
            wrong.append(bytes)
          }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  /// An arithmetic borrow from the first byte never changes the verdict on the second.
  @Test func endOfPlainBytesIsFoundForEveryPairOfNeighbours() {
    var wrong: [[UInt8]] = []
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [0x61, first, second, 0x61, 0x61, 0x61, 0x61, 0x61]
        let expected = bytes.firstIndex { !isPlain($0) } ?? 8
        if PlainASCII.end(from: 0, in: bytes) != expected { wrong.append([first, second]) }
      }
    }
    #expect(wrong.isEmpty)
  }
}
