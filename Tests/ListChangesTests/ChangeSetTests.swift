import Testing

@testable import ListChanges

@Suite struct ChangeSetTests {
  private let old = [1, 2, 3].map { Pair(id: $0, value: 0) }

  @Test(arguments: [ListChangesError<Int>.Side.old, .new])
  func aDuplicateIDIsRefusedWithBothIndexes(side: ListChangesError<Int>.Side) {
    let twice = old + [Pair(id: 2, value: 1)]
    let (from, to) = side == .old ? (twice, old) : (old, twice)
    #expect(throws: ListChangesError<Int>.duplicateID(2, first: 1, second: 3, side: side)) {
      try from.changes(to: to)
    }
  }

  @Test func applyingToADifferentListIsRefused() throws {
    let new = [3, 1, 4].map { Pair(id: $0, value: 0) }
    let changes = try old.changes(to: new)
    #expect(throws: ListChangesError<Int>.countMismatch(expected: 3, found: 2)) {
      try old.dropLast().applying(changes)
    }
    let other = [1, 9, 3].map { Pair(id: $0, value: 0) }
    #expect(throws: ListChangesError<Int>.itemMismatch(index: 1, expected: 2)) {
      try other.applying(changes)
    }
    let changed = [7, 2, 3].map { Pair(id: $0, value: 0) }
    #expect(throws: ListChangesError<Int>.itemMismatch(index: 0, expected: 1)) {
      try changed.applying(changes)
    }
  }

  @Test func changesOfItemsThatDoNotEqualThemselvesCanBeApplied() throws {
    struct Weighed: Identifiable, Equatable, Sendable {
      let id: Int
      let weight: Double
    }
    let old = (0..<4).map { Weighed(id: $0, weight: .nan) }
    let new = [Weighed(id: 3, weight: .nan), Weighed(id: 1, weight: 7)]
    let changes = try old.changes(to: new)
    #expect(try old.applying(changes).map(\.id) == [3, 1])
    var replayed = ReplayedList(old)
    try replayed.apply(changes)
    #expect(replayed.elements.map(\.id) == [3, 1])
    #expect(try old.applying(old.editScript(to: new)).map(\.id) == [3, 1])
    let other = [0, 9, 2, 3].map { Weighed(id: $0, weight: .nan) }
    #expect(throws: ListChangesError<Int>.itemMismatch(index: 1, expected: 1)) {
      try other.applying(changes)
    }
  }

  @Test func sliceIsChangedByOffsetsFromItsStart() throws {
    let slice = ([Pair(id: 9, value: 9)] + old)[1...]
    let new = [3, 1].map { Pair(id: $0, value: 1) }
    #expect(try slice.applying(slice.changes(to: new)) == new)
  }

  @Test(arguments: [
    (moved: [[0, 0], [0, 1]], inserted: [], removed: [], "from is 0, not above the 0"),
    (moved: [[0, 3]], inserted: [], removed: [], "outside of a list of 3"),
    (
      moved: [[0, 1], [1, 1]], inserted: [], removed: [], "index 1 of the new list is used twice"
    ),
    (moved: [[0, 1]], inserted: [], removed: [0], "index 0 of the old list is used twice"),
    (moved: [], inserted: [0], removed: [], "3 - 0 removed + 1 inserted is not 3"),
    (moved: [], inserted: [], removed: [5], "from is 5, outside"),
  ])
  func contradictoryPartsAreRefused(
    moved: [[Int]], inserted: [Int], removed: [Int], message: String
  ) throws {
    let error = #expect(throws: ListChangesError<Int>.self) {
      try ChangeSet<Pair>(
        oldCount: 3, newCount: 3,
        removed: removed.map { .init(from: $0, element: Pair(id: $0, value: 0)) },
        moved: moved.map { .init(from: $0[0], to: $0[1], id: nil) },
        inserted: inserted.map { .init(to: $0, element: Pair(id: 100 + $0, value: 0)) },
        updated: [])
    }
    guard case .invalid(let violation) = error else {
      Issue.record("expected .invalid, got \(String(describing: error))")
      return
    }
    #expect(violation.description.contains(message), "\(violation)")
  }

  @Test func largestCountsAreRefusedWithoutOverflow() {
    for (oldCount, newCount) in [(Int.max, Int.max), (Int.max, 0), (0, Int.max)] {
      #expect(throws: ListChangesError<Int>.self) {
        try ChangeSet<Pair>(
          oldCount: oldCount, newCount: newCount, removed: [], moved: [],
          inserted: [.init(to: 0, element: old[0])], updated: [])
      }
    }
  }

  @Test func anUpdateOfTwoDifferentItemsIsRefused() {
    #expect(throws: ListChangesError<Int>.self) {
      try ChangeSet<Pair>(
        oldCount: 3, newCount: 3, removed: [], moved: [], inserted: [],
        updated: [.init(from: 0, to: 1, old: old[0], new: Pair(id: 1, value: 1))])
    }
  }

  @Test func canonicalFormReplacesAnyChoiceOfMoves() throws {
    let new = [2, 3, 1].map { Pair(id: $0, value: 0) }
    let clumsy = try ChangeSet<Pair>(
      oldCount: 3, newCount: 3, removed: [],
      moved: [.init(from: 1, to: 0, id: 2), .init(from: 2, to: 1, id: 3)], inserted: [], updated: []
    )
    #expect(try old.applying(clumsy) == new)
    #expect(try clumsy.canonical() == old.changes(to: new))
  }
}
