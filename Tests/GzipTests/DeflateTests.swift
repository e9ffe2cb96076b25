import TestSupport
import Testing

@testable import Gzip

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

  private typealias Expand = @Sendable (ArraySlice<UInt8>, Int) -> [UInt8]?
  private static let expansions: [Expand] = [Deflate.expand, Deflate.expandByZlib]

  /// A store may be written where there is one library, and read where there is the other.
  @Test func eachLibraryExpandsWhatTheOtherCompressed() {
    for bytes in [[], [7], Self.text] {
      for data in [Deflate.compress(bytes), Deflate.compressByZlib(bytes)] {
        for expand in Self.expansions { #expect(expand(data[...], bytes.count) == bytes) }
      }
    }
  }

  @Test func otherLengthsAndOtherDataAreRefused() {
    let data = Deflate.compress(Self.text)
    #expect(Deflate.expand(data[...], to: -1) == nil)
    for expand in Self.expansions {
      for count in [0, 1, Self.text.count - 1, Self.text.count + 1] {
        #expect(expand(data[...], count) == nil)
      }
      for length in 0..<data.count { #expect(expand(data[..<length], Self.text.count) == nil) }
      #expect(expand((data + [0])[...], Self.text.count) == nil)
    }
  }

  @Test func dataOfLongerBytesUsesNoMoreMemoryThanTheLengthAllows() {
    let bomb = Deflate.compress(Array(repeating: 0, count: 10 << 20))
    #expect(bomb.count < 11_000)
    #expect((10 << 20) / bomb.count <= Deflate.largestRatio)
    #expect(Deflate.expand(bomb[...], to: 1000) == nil)
  }
}
