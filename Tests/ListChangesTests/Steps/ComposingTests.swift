import TestSupport
import Testing

@testable import ListChanges

/// The laws of composition for many steps at once.
@Suite struct ComposingTests {
  @Test func anyThreeStepsOverThreeIDsComposeToTheDirectDiff() throws {
    // An item's content differs from list to list; the last list has the first one's content again.
    let lists = (0..<4).map { step in
      allLists(over: 3).map { $0.map { Pair(id: $0.id, value: step % 3 * ($0.id + 1) % 3) } }
    }
    let tables = try [(0, 1), (1, 2), (2, 3), (0, 3)].map { old, new in
      try lists[old].map { old in try lists[new].map { try old.changes(to: $0) } }
    }
    var failureCount = 0
    for (a, first) in tables[0].enumerated() {
      for (b, ab) in first.enumerated() {
        for (c, bc) in tables[1][b].enumerated() {
          for (d, cd) in tables[2][c].enumerated()
          where composing([ab, bc, cd], nodeCapacity: 5) != tables[3][a][d] {
            failureCount += 1
          }
        }
      }
    }
    #expect(failureCount == 0)
  }

  @Test func randomHistoryComposesToTheDirectDiffAtOnceOrInPairs() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<1_500 {
      let lists = random.history(
        stepCount: [2, 3, 8, 30][round % 4], limit: [3, 6, 12, 40, 120][round % 5])
      let steps = try steps(of: lists)
      let note = Comment(rawValue: "seed \(random.seed), round \(round)")
      let direct = try lists[0].changes(to: lists[lists.count - 1])
      #expect(composing(steps, nodeCapacity: [5, 6, 32][round % 3]) == direct, note)
      let whole = try #require(ChangeSet.composing(steps))
      #expect(whole == direct, note)
      #expect(steps.dropFirst().reduce(steps[0]) { $0.composed(with: $1) } == direct, note)
      #expect(whole.moved.allSatisfy { $0.id == nil || $0.id == lists[0][$0.from].id }, note)
    }
  }

  @Test func composingComposedPartsEqualsComposingTheWhole() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<500 {
      let steps = try steps(of: random.history(stepCount: 9, limit: 12))
      let cuts = [0, 9] + (0..<2).map { _ in Int.random(in: 0...9, using: &random) }
      let ends = cuts.sorted()
      let parts = zip(ends, ends.dropFirst()).compactMap { ChangeSet.composing(steps[$0..<$1]) }
      #expect(
        ChangeSet.composing(parts) == ChangeSet.composing(steps),
        "seed \(random.seed), round \(round), cuts \(ends)")
    }
  }

  @Test func composedMoveKeepsTheIDThatAStepGaveIt() throws {
    let lists = ["abcd", "dabc", "cdab", "cab"].map { $0.map { Pair(id: id($0), value: 0) } }
    let whole = try #require(ChangeSet.composing(steps(of: lists)))
    #expect(whole.moved.map(\.id) == [id("c")])
    #expect(whole.removed.map(\.element.id) == [id("d")])
  }

  /// A former fault: the new item was named as if it followed the last one, and joined its segment.
  @Test func itemAppendedAfterTheLastItemOfTheFirstListIsInserted() throws {
    let lists = (2...5).map { count in (0..<count).map { Pair(id: $0, value: 0) } }
    let whole = try #require(ChangeSet.composing(steps(of: lists)))
    #expect(try whole == lists[0].changes(to: lists[3]))
  }

  @Test func oneStepComposesToItselfAndNoStepsComposeToNil() throws {
    let moved = try ChangeSet<Pair>(
      oldCount: 2, newCount: 2, removed: [], moved: [.init(from: 0, to: 0, id: nil)],
      inserted: [], updated: [])
    #expect(ChangeSet.composing([moved]) == moved)
    #expect(ChangeSet.composing([moved, moved])?.isEmpty == true)
    #expect(ChangeSet<Pair>.composing([]) == nil)
  }

  @Test func idThatOneStepRemovesAndInsertsIsMatched() throws {
    let a = [1, 2, 3].map { Pair(id: $0, value: 0) }
    let b = [2, 3, 1].map { Pair(id: $0, value: 1) }
    let replaced = try ChangeSet<Pair>(
      oldCount: 3, newCount: 3, removed: a.enumerated().map { .init(from: $0, element: $1) },
      moved: [], inserted: b.enumerated().map { .init(to: $0, element: $1) }, updated: [])
    let nothing = try b.changes(to: b)
    #expect(try ChangeSet.composing([replaced, nothing]) == a.changes(to: b))
  }

  /// Items are distinguished by their places, so ids may repeat, as in comparisons.
  @Test func itemsThatShareAnIDAreUpdatedIndependently() throws {
    func list(_ values: [Int]) -> [Pair] { values.map { Pair(id: 7, value: $0) } }
    let lists = [[1, 2, 3], [1, 5, 3], [1, 5], [4, 5], [4, 5, 6]].map(list)
    let steps = zip(lists, lists.dropFirst()).map { $0.changes(to: $1, ids: .trusted) }
    let whole = try #require(ChangeSet.composing(steps))
    #expect(try lists[0].applying(whole) == lists[4])
  }

  private func id(_ letter: Character) -> Int { Int(letter.asciiValue ?? 0) }

  private func composing(_ steps: [ChangeSet<Pair>], nodeCapacity: Int) -> ChangeSet<Pair> {
    var composer = StepComposer<Pair>(oldCount: steps[0].oldCount, nodeCapacity: nodeCapacity)
    for step in steps { composer.append(step) }
    return composer.changeSet()
  }
}
