import ListChangesTesting
import TestSupport
import Testing

@testable import ListChanges

@Suite struct IndexUpdateComposeTests {
  @Test(arguments: [
    // The result for each kind of item that the second update touches.
    (
      IndexUpdate(reloads: [1]), IndexUpdate(reloads: [1]), IndexUpdate(reloads: [1])
    ),
    (IndexUpdate(reloads: [1]), IndexUpdate(deletions: [1]), IndexUpdate(deletions: [1])),
    (IndexUpdate(insertions: [1]), IndexUpdate(reloads: [1]), IndexUpdate(insertions: [1])),
    (IndexUpdate(insertions: [1]), IndexUpdate(deletions: [1]), IndexUpdate()),
    (
      IndexUpdate(deletions: [0]), IndexUpdate(reloads: [0]),
      IndexUpdate(deletions: [0], reloads: [1])
    ),
    (IndexUpdate(deletions: [0]), IndexUpdate(deletions: [0]), IndexUpdate(deletions: [0, 1])),
    (IndexUpdate(insertions: [0]), IndexUpdate(insertions: [0]), IndexUpdate(insertions: [0, 1])),
    (
      IndexUpdate(deletions: [0]), IndexUpdate(insertions: [0]),
      IndexUpdate(insertions: [0], deletions: [0])
    ),
  ])
  func compositionMatchesTheExamples(first: IndexUpdate, second: IndexUpdate, expected: IndexUpdate)
  {
    #expect(first.composed(with: second) == expected)
  }

  @Test func composedUpdatesTurnTheFirstListIntoTheLast() throws {
    try forEachChain { a, b, c, note in
      let (ab, bc) = try (a.changes(to: b).indexUpdate(), b.changes(to: c).indexUpdate())
      let composed = ab.composed(with: bc)
      var view = CollectionViewSimulator(showing: a)
      try view.performBatchUpdates(composed.batchUpdates, showing: c)
      #expect(view.displayed == [c], "\(note)\(a) → \(b) → \(c)")
      #expect(
        composed.inverse == bc.inverse.composed(with: ab.inverse), "\(note)\(a) → \(b) → \(c)")
      #expect(composed.composed(with: IndexUpdate()) == composed)
      #expect(IndexUpdate().composed(with: composed) == composed)
    }
  }

  @Test func compositionIsAssociative() throws {
    try forEachChain { a, b, c, note in
      let updates = try [(a, b), (b, c), (c, a)].map { try $0.changes(to: $1).indexUpdate() }
      let left = updates[0].composed(with: updates[1]).composed(with: updates[2])
      let right = updates[0].composed(with: updates[1].composed(with: updates[2]))
      #expect(left == right, "\(note)\(a) → \(b) → \(c) → \(a)")
    }
  }

  private func forEachChain(_ body: ([Pair], [Pair], [Pair], String) throws -> Void) rethrows {
    let lists = allLists(over: 3)
    for a in lists { for b in lists { for c in lists { try body(a, b, c, "") } } }
    var random = SeededRandom.forThisRun()
    for round in 0..<1_000 {
      let a = random.list(limit: 12)
      let b = random.edited(a, limit: 12)
      let c = random.edited(b, limit: 12)
      try body(a, b, c, "seed \(random.seed), round \(round): ")
    }
  }
}
