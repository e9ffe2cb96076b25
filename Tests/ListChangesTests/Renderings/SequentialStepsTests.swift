import Testing

@testable import ListChanges

@Suite struct SequentialStepsTests {
  @Test func sequentialStepsTurnTheOldListIntoTheNewList() throws {
    for pair in ListPair.smallAndRandom() {
      let changes = try pair.changes()
      let steps = changes.sequentialSteps()
      var list = pair.old
      steps.apply(to: &list, from: pair.new)
      #expect(list == pair.new, "\(pair)")
      #expect(steps.moves.count == changes.moved.count, "\(pair)")
      #expect(steps.count == changes.count, "\(pair)")
    }
  }

  @Test func sequentialStepsSupportAnyChoiceOfMoves() throws {
    for pair in ListPair.smallAndRandom() {
      let changes = try movingEverything(pair.changes())
      var list = pair.old
      changes.sequentialSteps().apply(to: &list, from: pair.new)
      #expect(list == pair.new, "\(pair)")
    }
  }

  @Test func everyMoveOfAFewestMovesSetChangesAnIndex() throws {
    for pair in ListPair.smallAndRandom() {
      let moves = try pair.changes().sequentialSteps().moves
      #expect(moves.allSatisfy { $0.from != $0.to }, "\(pair)")
    }
  }

  @Test(
    arguments: [
      ("abcd", "dbcae", [.move(from: 3, to: 0), .move(from: 1, to: 3), .insert(4)]),
      ("abcd", "bd'", [.delete(2), .delete(0), .update(1)]),
      ("", "ab", [.insert(0), .insert(1)]),
      ("abc", "c'a'b'", [.move(from: 2, to: 0), .update(0), .update(1), .update(2)]),
    ] as [(String, String, [SequentialSteps.Step])])
  func sequentialStepsMatchTheExamples(old: String, new: String, expected: [SequentialSteps.Step])
    throws
  {
    #expect(try Pair.list(old).changes(to: Pair.list(new)).sequentialSteps().steps == expected)
  }

  @Test func deletionsDescendAndInsertionsAndUpdatesAscend() throws {
    for pair in ListPair.smallAndRandom() {
      let steps = try pair.changes().sequentialSteps()
      #expect(steps.deletions == steps.deletions.sorted(by: >), "\(pair)")
      #expect(steps.insertions == steps.insertions.sorted(), "\(pair)")
      #expect(steps.updates == steps.updates.sorted(), "\(pair)")
    }
  }

  /// The same changes with every matched item moved: valid, but far from canonical.
  private func movingEverything(_ changes: ChangeSet<Pair>) throws -> ChangeSet<Pair> {
    try ChangeSet(
      oldCount: changes.oldCount, newCount: changes.newCount, removed: changes.removed,
      moved: Alignment(of: changes).runs.flatMap { run in
        (0..<run.count).map { .init(from: run.old + $0, to: run.new + $0, id: nil) }
      }.sorted { $0.from < $1.from },
      inserted: changes.inserted, updated: changes.updated)
  }
}
