import Gzip
import TestSupport
import Testing

@Suite struct DeflateTests {
  private static let text = Array(String(repeating: "Zion, Yosemite, Acadia. ", count: 30).utf8)

  @Test func expandingRestoresTheBytes() {
    var random = SeededRandom.forThisRun()
    let noise = (0..<40_000).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
    for bytes in [[], [7], Self.text, noise] {
      #expect(Deflate.expand(Deflate.compress(bytes)[...], to: bytes.count) == bytes)
    }
    #expect(Deflate.compress(Self.text).count < Self.text.count / 10)
  }

  @Test func otherLengthsAndOtherDataAreRefused() {
    let data = Deflate.compress(Self.text)
    for count in [0, 1, Self.text.count - 1, Self.text.count + 1, -1] {
      #expect(Deflate.expand(data[...], to: count) == nil)
    }
    for length in 0..<data.count {
      #expect(Deflate.expand(data[..<length], to: Self.text.count) == nil)
    }
    #expect(Deflate.expand((data + [0])[...], to: Self.text.count) == nil)
  }

  @Test func dataOfLongerBytesUsesNoMoreMemoryThanTheLengthAllows() {
    let bomb = Deflate.compress(Array(repeating: 0, count: 10 << 20))
    #expect(bomb.count < 11_000)
    #expect((10 << 20) / bomb.count <= Deflate.largestRatio)
    #expect(Deflate.expand(bomb[...], to: 1000) == nil)
  }
}
