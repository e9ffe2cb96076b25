import TestSupport
import Testing

@testable import ListChanges

/// The bounds on a rope's size, for every permitted capacity.
@Suite struct RopeSizeTests {
  enum Pattern: CaseIterable {
    case append, prepend, alternate, random, removeAndInsert, fillAndEmpty
  }

  /// An operation splits at most one leaf, and every node above the leaves has two below it. So
  /// nodes are fewer than twice the leaves, and levels fewer than the leaves' logarithm. A former
  /// fault: with a capacity of 4, `append` made 3,998,001 nodes in 1,999 levels, and
  /// `RandomLawCampaign.allLawsHoldOnRandomListsOfUpTo100000Items` ran out of memory with
  /// LISTSYNC_SEED=2375186756.
  @Test(arguments: Array(Rope.leastNodeCapacity...33), Pattern.allCases)
  func operationsBoundTheNumberOfNodesAndLevels(capacity: Int, pattern: Pattern) {
    var random = SeededRandom.forThisRun()
    var rope = Rope(count: 1000, nodeCapacity: capacity)
    for operation in 1...4000 {
      // Every second name, so no name follows another.
      let name = 1000 + 2 * operation
      switch pattern {
      case .append: rope.insert(name, at: rope.count)
      case .prepend: rope.insert(name, at: 0)
      case .alternate: rope.insert(name, at: operation % 2 == 0 ? 0 : rope.count)
      case .random: rope.insert(name, at: .random(in: 0...rope.count, using: &random))
      case .removeAndInsert where operation % 2 == 0,
        .fillAndEmpty where operation / 500 % 2 == 1:
        _ = rope.remove(at: .random(in: 0..<rope.count, using: &random))
      case .removeAndInsert, .fillAndEmpty:
        rope.insert(name, at: .random(in: 0...rope.count, using: &random))
      }
      let leafLimit = operation + 1
      guard rope.nodeCount < 2 * leafLimit, 1 << rope.height <= leafLimit else {
        Issue.record(
          """
          capacity \(capacity), \(pattern), seed \(random.seed): \(rope.nodeCount) nodes and \
          \(rope.height) levels after \(operation) operations
          """)
        return
      }
    }
  }
}
