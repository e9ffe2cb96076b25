import TestSupport
import Testing

@testable import ListStore

@Suite struct MergeRuleTests {
  /// Merges what is due, as a program does after a commit.
  ///
  /// - Returns: the number of bytes that were written.
  private func mergeDue(_ byteCounts: inout [Int]) -> Int {
    var written = 0
    while let start = MergeRule.start(byteCounts) {
      let sum = byteCounts[start...].reduce(0, +)
      byteCounts[start...] = [sum]
      written += sum
    }
    return written
  }

  private func isKept(_ byteCounts: [Int]) -> Bool {
    byteCounts.indices.allSatisfy { position in
      let later = byteCounts[(position + 1)...].reduce(0, +)
      return byteCounts[position] >= MergeRule.ratio * later
    }
  }

  @Test func nothingIsDueExactlyIfEachSegmentHasFourTimesTheBytesOfThoseAfterIt() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<10_000 {
      let byteCounts = (0..<random.number(0...12)).map { _ in random.size(upTo: 100_000) }
      let start = MergeRule.start(byteCounts)
      #expect((start == nil) == isKept(byteCounts), "\(byteCounts)")
      #expect(start.map { $0 < byteCounts.count - 1 } ?? true)
    }
  }

  @Test func nothingIsDueAfterAllThatIsDueWasMerged() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<10_000 {
      var byteCounts = (0..<random.number(0...12)).map { _ in random.size(upTo: 100_000) }
      let sum = byteCounts.reduce(0, +)
      _ = mergeDue(&byteCounts)
      #expect(isKept(byteCounts) && byteCounts.reduce(0, +) == sum, "\(byteCounts)")
    }
  }

  /// A commit writes its own segment with the short ones before it, then what is due.
  @Test func manySmallCommitsWriteEachByteOnlyAFewTimes() {
    var random = SeededRandom.forThisRun()
    let shortByteCount = 16_000
    var (byteCounts, written, sum) = ([Int](), 0, 0)
    for _ in 0..<10_000 {
      let new = random.number(20...200)
      sum += new
      var joined = new
      while let last = byteCounts.last, last <= shortByteCount, last < MergeRule.ratio * joined {
        joined += byteCounts.removeLast()
      }
      byteCounts.append(joined)
      written += joined + mergeDue(&byteCounts)
      #expect(isKept(byteCounts) && byteCounts.count <= 9, "\(byteCounts)")
    }
    // 14 to 15 times were measured.
    #expect(written <= 17 * sum, "\(written) of \(sum)")
  }
}
