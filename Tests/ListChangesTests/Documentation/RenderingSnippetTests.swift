import Foundation
import ListChanges
import ListChangesTesting
import Testing

/// The Swift of `Renderings.md`: one pair of lists in every form.
@Suite struct RenderingSnippetTests {
  struct Movie: Identifiable, Equatable {
    let id: Character
    var stars = 3
  }

  // snippet: rendered-lists
  let old = "abcd".map { Movie(id: $0) }
  let new = [
    Movie(id: "d", stars: 5), Movie(id: "b", stars: 4), Movie(id: "c"), Movie(id: "e"),
  ]
  // end

  func changes() throws -> ChangeSet<Movie> { try old.changes(to: new) }

  @Test func changesAreOneRemovalOneMoveOneInsertionAndTwoUpdates() throws {
    // snippet: rendered-changes
    let changes = try old.changes(to: new)
    #expect(changes.removed.map(\.from) == [0])
    #expect(changes.moved == [.init(from: 3, to: 0, id: "d")])
    #expect(changes.inserted.map(\.to) == [3])
    #expect(changes.updated.map(\.from) == [3, 1] && changes.updated.map(\.to) == [0, 1])
    // end
  }

  @Test func oneBatchDeletesAndInsertsAMovedAndUpdatedItem() throws {
    let changes = try changes()
    // snippet: batch-updates
    let batch = changes.batchUpdates()
    #expect(batch == BatchUpdates(deleted: [0, 3], inserted: [0, 3], reloaded: [1]))
    #expect(batch.count == 5)
    // end
  }

  @Test func twoBatchesKeepTheCellOfAMovedAndUpdatedItem() throws {
    let changes = try changes()
    // snippet: two-batch-updates
    let updates = changes.twoBatchUpdates()
    #expect(
      updates.first
        == BatchUpdates(deleted: [0], inserted: [3], moved: [IndexMove(from: 3, to: 0)]))
    #expect(updates.second == BatchUpdates(reloaded: [0, 1]))
    // end
  }

  @Test func indexPathsCarryTheSection() throws {
    let changes = try changes()
    // snippet: index-paths
    let paths = changes.batchUpdates().indexPaths(inSection: 2)
    #expect(paths.deleted == [[2, 0], [2, 3]] && paths.inserted == [[2, 0], [2, 3]])
    #expect(paths.reloaded == [[2, 1]])
    // end
  }

  @Test func anIndexUpdateHasNoMoves() throws {
    let changes = try changes()
    // snippet: index-update
    let update = changes.indexUpdate()
    #expect(update.deletions == [0, 3] && update.insertions == [0, 3] && update.reloads == [1])
    #expect(update.hasChanges)
    #expect(update.inverse == IndexUpdate(insertions: [0, 3], deletions: [0, 3], reloads: [1]))
    // end
  }

  @Test func viewUpdateCombinesSeveralSections() throws {
    let update = try changes().indexUpdate()
    // snippet: view-update
    var viewUpdate = ViewUpdate(update: update, section: 0)
    viewUpdate.append(update: IndexUpdate(deletions: [1]), inSection: 1)
    #expect(viewUpdate.deletions == [[0, 0], [0, 3], [1, 1]])
    // end
  }

  @Test func everyStageHasItsBatchAndItsList() throws {
    let changes = try changes()
    // snippet: staged-changes
    let staged = changes.stagedChanges()
    #expect(staged.stages == [.updates, .deletions, .insertionsAndMoves])
    #expect(staged.batch(of: .updates) == BatchUpdates(reloaded: [1, 3]))
    #expect(staged.batch(of: .deletions) == BatchUpdates(deleted: [0]))
    #expect(
      staged.batch(of: .insertionsAndMoves)
        == BatchUpdates(inserted: [3], moved: [IndexMove(from: 2, to: 0)]))

    var view = CollectionViewSimulator(showing: old)
    for stage in staged.stages {
      let list = staged.list(after: stage, from: old, to: new)
      try view.performBatchUpdates(staged.batch(of: stage), showing: list)
      #expect(view.displayed == [list])
    }
    // end
    #expect(view.displayed == [new])
  }

  @Test func repeatedIDsAreNumberedByOccurrence() {
    // snippet: numbering-occurrences
    let earlier = "abca".map { Movie(id: $0) }
    let later = "aeabc".map { Movie(id: $0) }
    let staged = earlier.changesNumberingOccurrences(to: later).stagedChanges()
    #expect(staged.inserted == [1] && staged.moved == [IndexMove(from: 3, to: 2)])
    // end
  }

  @Test func actionsListRemovalsMovesAndInsertionsInOrder() throws {
    let changes = try changes()
    // snippet: actions
    #expect(changes.actions() == [.deleted(0), .moved(3, 0), .added(3)])
    // end
  }

  @Test func everySequentialStepIsValidOnTheCurrentList() throws {
    let changes = try changes()
    // snippet: sequential-steps
    let steps = changes.sequentialSteps()
    #expect(steps.steps == [.delete(0), .move(from: 2, to: 0), .insert(3), .update(0), .update(1)])
    var list = old
    steps.apply(to: &list, from: new)
    #expect(list == new)
    // end
  }

  @Test func standardLibraryAppliesTheCollectionDifference() throws {
    let changes = try changes()
    // snippet: collection-difference
    let difference = try changes.collectionDifference(from: old)
    #expect(old.applying(difference) == new)
    #expect(difference.removals.count == 3 && difference.insertions.count == 3)
    // end
  }

  @Test func simulatorShowsTheItemsThatAViewWouldShow() throws {
    let changes = try changes()
    // snippet: simulator
    var view = CollectionViewSimulator(showing: old)
    try view.performBatchUpdates(changes.batchUpdates(), showing: new)
    #expect(view.displayed == [new])
    // end
  }

  @MainActor @Test func simulatedViewHasTheCallsOfARealOne() throws {
    // snippet: simulated-view
    let view = SimulatedView(showing: old)
    view.update(from: old, to: new, inSection: 0) { view.data[0].items = $0 }
    #expect(try view.displayed == view.data)
    #expect(view.batches.count == 1 && view.reloadCount == 0)
    // end
  }

  @Test func simulatorThrowsANamedErrorForABatchThatAViewRefuses() {
    // snippet: simulator-refuses
    var view = CollectionViewSimulator(showing: old)
    let wrong = BatchUpdates(moved: [IndexMove(from: 3, to: 0)], reloaded: [3])
    let place = BatchError.Place.item(.init(section: 0, item: 3))
    #expect(throws: BatchError.reloadMeets(.moveFrom, place)) {
      try view.performBatchUpdates(wrong, showing: [old[3], old[0], old[1], old[2]])
    }
    // end
  }

  @Test func simulatorSupportsSections() throws {
    // snippet: simulator-sections
    var view = CollectionViewSimulator(showing: [[old[0], old[1]], [old[2]]])
    var batch = CollectionViewBatch()
    batch.moved = [.init(from: .init(section: 0, item: 0), to: .init(section: 1, item: 1))]
    try view.performBatchUpdates(batch, showing: [[old[1]], [old[2], old[0]]])
    #expect(view.displayed == [[old[1]], [old[2], old[0]]])
    // end
  }
}
