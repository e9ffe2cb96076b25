import Foundation
import ListChangesTesting
import Testing

@testable import ListChanges

@Suite struct ViewUpdateTests {
  @Test func viewUpdateMergesAndSortsTheUpdatesOfSections() {
    var view = ViewUpdate(update: IndexUpdate(deletions: [0, 2]), section: 0)
    view.append(
      update: IndexUpdate(insertions: [0, 4], deletions: [0, 3], reloads: [1]), inSection: 0)
    view.append(update: IndexUpdate(insertions: [1]), inSection: 1)
    #expect(
      view
        == ViewUpdate(
          insertions: [[0, 0], [0, 4], [1, 1]], deletions: [[0, 3], [0, 2], [0, 0]],
          reloads: [[0, 1]]))
    #expect(view.deletions == [[0, 0], [0, 2], [0, 3]])
  }

  @Test func anEmptyUpdateHasNoChanges() {
    #expect(ViewUpdate() == .noUpdate)
    #expect(!ViewUpdate.noUpdate.hasChanges)
    #expect(ViewUpdate(update: IndexUpdate(reloads: [3]), section: 0).hasChanges)
  }

  /// The case of ArrayUpdater's own test, in which the reloaded item ends at its old place.
  @Test func inverseSwapsInsertionsAndDeletions() {
    let update = IndexUpdate(insertions: [0, 4], deletions: [0, 3], reloads: [1])
    let view = ViewUpdate(update: update, section: 0)
    #expect(
      view.inverse
        == ViewUpdate(
          insertions: view.deletions, deletions: view.insertions, reloads: view.reloads))
  }

  @Test func oneBatchUpdatesTwoSectionsAndOneBatchRevertsThem() throws {
    let pairs = ListPair.all(over: 3)
    for (first, second) in zip(pairs, pairs.reversed()) {
      let (old, new) = ([first.old, second.old], [first.new, second.new])
      var update = ViewUpdate()
      update.append(update: try second.changes().indexUpdate(), inSection: 1)
      update.append(update: try first.changes().indexUpdate(), inSection: 0)
      var view = CollectionViewSimulator(showing: old)
      try view.performBatchUpdates(CollectionViewBatch(update), showing: new)
      #expect(view.displayed == new, "\(first), \(second)")
      try view.performBatchUpdates(CollectionViewBatch(update.inverse), showing: old)
      #expect(view.displayed == old, "\(first), \(second)")
    }
  }
}
