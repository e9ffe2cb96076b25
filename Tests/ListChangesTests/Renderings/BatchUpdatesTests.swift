import Foundation
import ListChangesTesting
import Testing

@testable import ListChanges

@Suite struct BatchUpdatesTests {
  @Test(arguments: MoveChoice.allCases)
  func oneBatchTurnsTheViewIntoTheNewList(choice: MoveChoice) throws {
    for pair in ListPair.smallAndRandom() {
      var view = CollectionViewSimulator(showing: pair.old)
      try view.performBatchUpdates(pair.changes().batchUpdates(moves: choice), showing: pair.new)
      #expect(view.displayed == [pair.new], "\(pair)")
    }
  }

  @Test(arguments: MoveChoice.allCases)
  func twoBatchesTurnTheViewIntoTheNewList(choice: MoveChoice) throws {
    for pair in ListPair.smallAndRandom() {
      let updates = try pair.changes().twoBatchUpdates(moves: choice)
      #expect(updates.first.reloaded.isEmpty, "\(pair)")
      #expect(updates.second.count == updates.second.reloaded.count, "\(pair)")
      var view = CollectionViewSimulator(showing: pair.old)
      try view.performBatchUpdates(updates.first, showing: pair.new)
      #expect(view.showsItems(of: [pair.new]), "\(pair)")
      try view.performBatchUpdates(updates.second, showing: pair.new)
      #expect(view.displayed == [pair.new], "\(pair)")
    }
  }

  @Test func indexesAscendAndTheCountIsZeroOnlyForEqualLists() throws {
    for pair in ListPair.smallAndRandom() {
      let one = try pair.changes().batchUpdates()
      let two = try pair.changes().twoBatchUpdates()
      for updates in [one, two.first, two.second] {
        for indexes in [updates.deleted, updates.inserted, updates.moved.map(\.from)] {
          #expect(zip(indexes, indexes.dropFirst()).allSatisfy { $0 < $1 }, "\(pair)")
        }
        #expect(updates.reloaded == updates.reloaded.sorted(), "\(pair)")
      }
      #expect(one.isEmpty == (pair.old == pair.new), "\(pair)")
      #expect(two.isEmpty == one.isEmpty, "\(pair)")
      let changes = try pair.changes()
      #expect(two.count == changes.count, "\(pair)")
    }
  }

  /// d moves to the front and changes, b changes in place, c is removed, e is inserted.
  private let mixed = ListPair(old: Pair.list("abcd"), new: Pair.list("d'ab'e"))

  @Test func anItemMovedAndUpdatedIsDeletedAndInsertedInOneBatch() throws {
    let updates = try mixed.changes().batchUpdates()
    #expect(updates == BatchUpdates(deleted: [2, 3], inserted: [0, 3], reloaded: [1]))
    #expect(updates.count == 5)
  }

  @Test func anItemMovedAndUpdatedKeepsItsCellInTwoBatches() throws {
    let updates = try mixed.changes().twoBatchUpdates()
    #expect(
      updates.first == BatchUpdates(deleted: [2], inserted: [3], moved: IndexMove.list([[3, 0]])))
    #expect(updates.second == BatchUpdates(reloaded: [0, 2]))
    #expect(updates.count == 5)
  }

  @Test func indexPathsCarryTheSection() throws {
    let changes = try Pair.list("abcde").changes(to: Pair.list("eab'f"))
    #expect(
      changes.batchUpdates()
        == BatchUpdates(
          deleted: [2, 3], inserted: [3], moved: IndexMove.list([[4, 0]]), reloaded: [1]))
    let paths = changes.batchUpdates().indexPaths(inSection: 7)
    #expect(paths.deleted == [IndexPath(indexes: [7, 2]), IndexPath(indexes: [7, 3])])
    #expect(paths.inserted == [IndexPath(indexes: [7, 3])])
    #expect(
      paths.moved == [.init(from: IndexPath(indexes: [7, 4]), to: IndexPath(indexes: [7, 0]))])
    #expect(paths.reloaded == [IndexPath(indexes: [7, 1])])
  }

  @Test func indexPathsUpdateOneSectionOfSeveral() throws {
    for pair in ListPair.all(over: 3) {
      let paths = try pair.changes().batchUpdates().indexPaths(inSection: 1)
      let other = Pair.list("xyz")
      var view = CollectionViewSimulator(showing: [other, pair.old])
      try view.performBatchUpdates(CollectionViewBatch(paths), showing: [other, pair.new])
      #expect(view.displayed == [other, pair.new], "\(pair)")
    }
  }

  /// The comparison of Undabot's `BatchUpdates.compare`, in effect, in O(n²).
  @Test func arraysWithEveryIndexChangeMatchAComparisonOfAllIndexes() throws {
    for pair in ListPair.smallAndRandom() {
      let (old, new) = (pair.old.map(\.id), pair.new.map(\.id))
      let updates = try pair.changes().twoBatchUpdates(moves: .everyIndexChange).first
      #expect(updates.deleted == old.indices.filter { !new.contains(old[$0]) }, "\(pair)")
      #expect(updates.inserted == new.indices.filter { !old.contains(new[$0]) }, "\(pair)")
      let moved = old.indices.compactMap { from -> IndexMove? in
        guard let to = new.firstIndex(of: old[from]), to != from else { return nil }
        return IndexMove(from: from, to: to)
      }
      #expect(updates.moved == moved, "\(pair)")
    }
  }
}
