import ListChanges
import ListChangesTesting
import Testing

private typealias Path = CollectionViewBatch.Path

struct Cell: Identifiable, Equatable, Sendable {
  let id: Character
  var content = 0
}

/// A list of letters; a digit behind one is its content.
func cells(_ text: String) -> [Cell] {
  var cells: [Cell] = []
  for character in text {
    if let content = character.wholeNumberValue {
      cells[cells.count - 1].content = content
    } else {
      cells.append(Cell(id: character))
    }
  }
  return cells
}

private func path(_ section: Int, _ item: Int) -> Path { Path(section: section, item: item) }

private func batch(_ build: (inout CollectionViewBatch) -> Void) -> CollectionViewBatch {
  var batch = CollectionViewBatch()
  build(&batch)
  return batch
}

@Suite struct CollectionViewSimulatorTests {
  @Test func cellKeepsItsOldContentUntilAReload() throws {
    var view = CollectionViewSimulator(showing: cells("ab"))
    try view.performBatchUpdates(
      BatchUpdates(inserted: [2], moved: [IndexMove(from: 0, to: 1)]), showing: cells("b5a7c9"))
    #expect(view.displayed == [cells("bac9")])
    #expect(view.showsItems(of: [cells("b5a7c9")]))
    try view.performBatchUpdates(BatchUpdates(reloaded: [0]), showing: cells("b5a7c9"))
    #expect(view.displayed == [cells("b5ac9")])
    view.reloadData(showing: [cells("b5a7c9")])
    #expect(view.displayed == [cells("b5a7c9")])
  }

  @Test func validButWrongBatchShowsTheWrongItems() throws {
    var view = CollectionViewSimulator(showing: cells("ab"))
    try view.performBatchUpdates(
      BatchUpdates(deleted: [1], inserted: [1]), showing: cells("bc"))
    #expect(view.displayed == [cells("ac")])
    #expect(!view.showsItems(of: [cells("bc")]))
  }

  @Test func reloadUsesTheOldIndexAndShowsTheItemAtItsNewIndex() throws {
    var view = CollectionViewSimulator(showing: cells("abc"))
    try view.performBatchUpdates(
      BatchUpdates(deleted: [0], reloaded: [2]), showing: cells("b1c2"))
    #expect(view.displayed == [cells("bc2")])
  }

  @Test func batchDeletesInsertsMovesAndReloadsSections() throws {
    var view = CollectionViewSimulator(showing: ["a", "b", "c", "d"].map(cells))
    let changes = batch {
      $0.deletedSections = [0]
      $0.insertedSections = [1]
      $0.movedSections = [.init(from: 3, to: 0)]
      $0.reloadedSections = [2]
    }
    let new = ["d1", "x1y1", "b1", "c1e"].map(cells)
    try view.performBatchUpdates(changes, showing: new)
    #expect(view.displayed == ["d", "x1y1", "b", "c1e"].map(cells))
  }

  @Test func itemsMoveAcrossSectionsIncludingMovedSections() throws {
    var view = CollectionViewSimulator(showing: ["ab", "c", "d"].map(cells))
    let changes = batch {
      $0.movedSections = [.init(from: 2, to: 0)]
      $0.moved = [.init(from: path(0, 0), to: path(0, 1))]
      $0.deleted = [path(1, 0)]
      $0.inserted = [path(2, 0)]
    }
    try view.performBatchUpdates(changes, showing: ["d1a1", "b1", "e1"].map(cells))
    #expect(view.displayed == ["da", "b", "e1"].map(cells))
  }

  @Test func batchInOneSectionLeavesOtherSectionsUnchanged() throws {
    var view = CollectionViewSimulator(showing: ["x", "ab"].map(cells))
    try view.performBatchUpdates(
      BatchUpdates(deleted: [0]), inSection: 1, showing: cells("b"))
    #expect(view.displayed == ["x", "b"].map(cells))
  }
}
