import Testing

@testable import ListChanges

@Suite struct CollectionDifferenceTests {
  @Test func applyingTheDifferenceGivesTheNewList() throws {
    for pair in ListPair.smallAndRandom() {
      let difference = try pair.changes().collectionDifference(from: pair.old)
      #expect(pair.old.applying(difference) == pair.new, "\(pair)")
      #expect(pair.new.applying(difference.inverse()) == pair.old, "\(pair)")
    }
  }

  @Test func movesAndUpdatesAreAssociatedInBothDirections() throws {
    for pair in ListPair.smallAndRandom() {
      let changes = try pair.changes()
      let difference = try changes.collectionDifference(from: pair.old)
      let expected = Set(
        changes.moved.map { [$0.from, $0.to] } + changes.updated.map { [$0.from, $0.to] })
      #expect(Set(difference.removals.compactMap(\.association)) == expected, "\(pair)")
      #expect(Set(difference.insertions.compactMap(\.association)) == expected, "\(pair)")
      #expect(
        difference.removals.count == changes.removed.count + expected.count, "\(pair)")
    }
  }

  @Test func updateInPlaceIsARemovalAndAnInsertionAtOneIndex() throws {
    let (old, new) = (Pair.list("abc"), Pair.list("ab'c"))
    let difference = try old.changes(to: new).collectionDifference(from: old)
    #expect(
      Array(difference) == [
        .remove(offset: 1, element: old[1], associatedWith: 1),
        .insert(offset: 1, element: new[1], associatedWith: 1),
      ])
  }

  @Test func listOfADifferentLengthIsRefused() throws {
    let changes = try Pair.list("abc").changes(to: Pair.list("cab"))
    #expect(throws: ListChangesError<Int>.countMismatch(expected: 3, found: 2)) {
      try changes.collectionDifference(from: Pair.list("ab"))
    }
  }

  @Test func sliceIsRenderedByOffsetsFromItsStart() throws {
    let slice = Pair.list("xabc")[1...]
    let difference = try slice.changes(to: Pair.list("cab")).collectionDifference(from: slice)
    #expect(Pair.list("abc").applying(difference) == Pair.list("cab"))
  }
}

extension CollectionDifference.Change {
  /// `[from, to]` of a pair, or nil.
  fileprivate var association: [Int]? {
    switch self {
    case .remove(let offset, _, let to): to.map { [offset, $0] }
    case .insert(let offset, _, let from): from.map { [$0, offset] }
    }
  }
}
