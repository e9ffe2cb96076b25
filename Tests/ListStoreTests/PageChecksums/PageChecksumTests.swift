import TestSupport
import Testing

@testable import ListStore

@Suite struct PageChecksumTests {
  private static func sum(_ words: [UInt64], number: Int = 7) -> UInt64 {
    words.withUnsafeBufferPointer {
      PageChecksum.of($0.baseAddress!, byteCount: words.count * 8, number: number)
    }
  }

  @Test("a change of any one word shows, whatever the size of the page", arguments: [512, 4096])
  func oneWord(byteCount: Int) {
    var random = SeededRandom.forThisRun()
    let words = (0..<byteCount / 8).map { _ in random.next() }
    let sum = Self.sum(words)
    // The last word is the checksum's own place.
    for position in words.indices.dropLast() {
      for flipped in [1 << UInt64.random(in: 0..<64, using: &random), random.next() | 1] {
        var other = words
        other[position] ^= flipped
        #expect(Self.sum(other) != sum, "word \(position), seed \(random.seed)")
      }
    }
    var other = words
    other[other.count - 1] = ~other[other.count - 1]
    #expect(Self.sum(other) == sum)
  }

  @Test("every bit of a page counts")
  func everyBit() {
    let words = [UInt64](repeating: 0, count: 64)
    let sums = (0..<63 * 64).map { bit in
      var other = words
      other[bit / 64] = 1 << UInt64(bit % 64)
      return Self.sum(other)
    }
    #expect(Set(sums + [Self.sum(words)]).count == 63 * 64 + 1)
  }

  @Test("words that change places show, within a lane and between lanes")
  func order() {
    var random = SeededRandom.forThisRun()
    let words = (0..<64).map { _ in random.next() }
    for (one, other) in [(0, 1), (0, 4), (3, 59), (60, 61), (61, 62), (8, 62)] {
      var swapped = words
      swapped.swapAt(one, other)
      #expect(Self.sum(swapped) != Self.sum(words), "\(one) and \(other), seed \(random.seed)")
    }
  }

  @Test("a page of zeros, and a page in another's place, do not have their checksum")
  func zerosAndPlaces() {
    let zeros = [UInt64](repeating: 0, count: 512)
    let sums = (1...10_000).map { Self.sum(zeros, number: $0) }
    #expect(!sums.contains(0) && Set(sums).count == sums.count)
  }

  @Test("the checksum of a page never changes from one release to the next")
  func fixedValues() {
    let words = (0..<512).map { UInt64($0) &* 0x0123_4567_89ab_cdef }
    #expect(Self.sum(words, number: 1) == 0x44f1_24d0_4abf_d17c)
    #expect(Self.sum([UInt64](repeating: 0, count: 64), number: 2) == 0x515b_d1b0_d974_acc0)
  }
}
