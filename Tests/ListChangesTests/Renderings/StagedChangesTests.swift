import ListChangesTesting
import Testing

@testable import ListChanges

@Suite struct StagedChangesTests {
  @Test(arguments: [
    ([0, 1, 2], [1, 2, 0], [[1, 0], [2, 1]]),
    ([0, 1, 2], [2, 0, 1], [[2, 0]]),
    ([0, 1, 2, 3], [3, 2, 1, 0], [[3, 0], [2, 1], [1, 2]]),
  ])
  func stagedMovesMatchDifferenceKit(old: [Int], new: [Int], expected: [[Int]]) throws {
    let staged = items(old).changesNumberingOccurrences(to: items(new)).stagedChanges()
    #expect(staged.moved == IndexMove.list(expected))
    #expect(staged.stages == [.insertionsAndMoves])
    #expect(try items(old).changes(to: items(new)).stagedChanges() == staged)
  }

  @Test func stagedDuplicatesMatchDifferenceKit() {
    let staged = items([0, 1, 2, 0]).changesNumberingOccurrences(to: items([0, 4, 0, 1, 2]))
      .stagedChanges()
    #expect(staged.inserted == [1])
    #expect(staged.moved == IndexMove.list([[3, 2]]))
    #expect(staged.stages == [.insertionsAndMoves])
  }

  @Test func stagedMixedChangesMatchDifferenceKitWithTheListOfEachStage() throws {
    let old = items([0, 1, 2])
    let new = [
      Pair(id: 2, value: 0), Pair(id: 4, value: 0), Pair(id: 0, value: 1), Pair(id: 3, value: 0),
    ]
    let staged = try old.changes(to: new).stagedChanges()
    #expect(staged.stages == [.updates, .deletions, .insertionsAndMoves])
    #expect(staged.batch(of: .updates) == BatchUpdates(reloaded: [0]))
    #expect(staged.batch(of: .deletions) == BatchUpdates(deleted: [1]))
    #expect(
      staged.batch(of: .insertionsAndMoves)
        == BatchUpdates(inserted: [1, 3], moved: IndexMove.list([[1, 0]])))
    let updated = Pair(id: 0, value: 1)
    #expect(staged.list(after: .updates, from: old, to: new) == [updated, old[1], old[2]])
    #expect(staged.list(after: .deletions, from: old, to: new) == [updated, old[2]])
    #expect(staged.list(after: .insertionsAndMoves, from: old, to: new) == new)
  }

  @Test func equalListsHaveNoStages() throws {
    let staged = try items([1, 2]).changes(to: items([1, 2])).stagedChanges()
    #expect(staged.stages.isEmpty)
    #expect(staged.isEmpty)
  }

  @Test func theStagesTurnTheViewIntoTheNewList() throws {
    for pair in ListPair.smallAndRandom() {
      try perform(pair.changes().stagedChanges(), pair)
    }
  }

  @Test func stagedMovesMatchTheRuleAppliedItemByItem() throws {
    for pair in ListPair.smallAndRandom() {
      let staged = try pair.changes().stagedChanges()
      #expect(staged.moved == stagedMovesByRule(pair.old.map(\.id), pair.new.map(\.id)), "\(pair)")
    }
  }

  @Test func numberingOccurrencesOfUniqueIDsGivesTheSameStages() throws {
    for pair in ListPair.smallAndRandom() {
      let staged = try pair.changes().stagedChanges()
      #expect(staged == numbered(pair), "\(pair)")
    }
  }

  @Test func stagesOfListsWithDuplicatesTurnTheViewIntoTheNewList() throws {
    for pair in ListPair.smallAndRandom() {
      // Ids that are equal modulo 2 make most of a list duplicates.
      let twins = ListPair(
        old: pair.old.map { Pair(id: $0.id % 2, value: $0.value) },
        new: pair.new.map { Pair(id: $0.id % 2, value: $0.value) }, note: "\(pair.note)twins ")
      let staged = numbered(twins)
      try perform(staged, twins)
      #expect(
        staged.moved == stagedMovesByRule(twins.old.map(\.id), twins.new.map(\.id)), "\(twins)")
      let matched = twins.old.count - staged.deleted.count
      #expect(staged.inserted.count == twins.new.count - matched, "\(twins)")
    }
  }

  private func items(_ ids: [Int]) -> [Pair] { ids.map { Pair(id: $0, value: 0) } }

  private func numbered(_ pair: ListPair) -> StagedChanges {
    pair.old.changesNumberingOccurrences(to: pair.new).stagedChanges()
  }

  /// Performs each stage while the data source has that stage's list.
  private func perform(_ staged: StagedChanges, _ pair: ListPair) throws {
    var view = CollectionViewSimulator(showing: pair.old)
    for stage in staged.stages {
      let list = staged.list(after: stage, from: pair.old, to: pair.new)
      try view.performBatchUpdates(staged.batch(of: stage), showing: list)
      #expect(view.displayed == [list], "\(stage) of \(pair)")
    }
    #expect(view.displayed == [pair.new], "\(pair)")
  }
}

/// The rule by its definition: O(n²), and occurrences found by search.
func stagedMovesByRule(_ old: [Int], _ new: [Int]) -> [IndexMove] {
  var sources: [Int?] = []
  for id in new {
    sources.append(old.indices.first { old[$0] == id && !sources.contains($0) })
  }
  let remaining = old.indices.filter { sources.contains($0) }
  var waiting = remaining
  var moves: [IndexMove] = []
  for (to, source) in sources.enumerated() {
    guard let source else { continue }
    if source != waiting.first {
      moves.append(IndexMove(from: remaining.firstIndex(of: source)!, to: to))
    }
    waiting.removeAll { $0 == source }
  }
  return moves
}
