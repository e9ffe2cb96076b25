import ListModel
import TestSupport
import Testing

struct UTF8SequenceTests {
  // By hand, from the table of RFC 3629, section 4.
  @Test(
    arguments: [
      ([0xC2, 0x80], 2), ([0xDF, 0xBF], 2), ([0xE0, 0xA0, 0x80], 3), ([0xED, 0x9F, 0xBF], 3),
      ([0xEE, 0x80, 0x80], 3), ([0xEF, 0xBF, 0xBF], 3), ([0xF0, 0x90, 0x80, 0x80], 4),
      ([0xF4, 0x8F, 0xBF, 0xBF], 4), ([0xC3, 0xA9, 0xFF], 2),
      // Overlong.
      ([0xC0, 0x80], nil), ([0xC1, 0xBF], nil), ([0xE0, 0x9F, 0xBF], nil),
      ([0xF0, 0x8F, 0xBF, 0xBF], nil),
      // Surrogates, U+D800 and U+DFFF.
      ([0xED, 0xA0, 0x80], nil), ([0xED, 0xBF, 0xBF], nil),
      // Above U+10FFFF.
      ([0xF4, 0x90, 0x80, 0x80], nil), ([0xF5, 0x80, 0x80, 0x80], nil), ([0xFF], nil),
      // Cut, or a tail alone.
      ([0xC3], nil), ([0xE2, 0x82], nil), ([0xF0, 0x9F, 0x98], nil), ([0xE2, 0x28, 0xA1], nil),
      ([0x80], nil), ([0xBF, 0x80], nil),
    ] as [([UInt8], Int?)])
  func sequencesHaveTheirByteCount(bytes: [UInt8], byteCount: Int?) {
    #expect(UTF8Sequence.byteCount(at: 0, in: bytes) == byteCount)
    #expect(UTF8Sequence.byteCount(at: 2, in: [0x61, 0x62] + bytes) == byteCount)
  }

  @Test func everyScalarIsWellFormed() {
    var scalarCount = 0
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let bytes = Array(UTF8.encode(scalar)!)
      if UTF8Sequence.byteCount(at: 0, in: bytes) == bytes.count { scalarCount += 1 }
    }
    // All of U+0080 to U+10FFFF except the 2048 surrogates.
    #expect(scalarCount == 0x10FFFF - 0x80 + 1 - 2048)
  }

  @Test func validityOfRandomBytesMatchesTheStandardLibrary() {
    var random = SeededRandom.forThisRun()
    let edges: [UInt8] = [
      0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4,
    ]
    for _ in 0..<20_000 {
      let lead = UInt8.random(in: 0x80...0xFF, using: &random)
      let count = Int.random(in: 0...3, using: &random)
      let bytes = [lead] + (0..<count).map { _ in edges.randomElement(using: &random)! }
      let valid = (1...bytes.count).first {
        String(validating: bytes.prefix($0), as: UTF8.self) != nil
      }
      #expect(
        UTF8Sequence.byteCount(at: 0, in: bytes) == valid, "\(bytes), seed \(random.seed)")
    }
  }
}
