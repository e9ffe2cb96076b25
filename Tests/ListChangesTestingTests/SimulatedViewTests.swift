import Foundation
import ListChanges
import ListChangesTesting
import Testing

@MainActor @Suite struct SimulatedViewTests {
  @Test func callsOfOneBatchArePerformedTogether() throws {
    let view = SimulatedView(showing: cells("abc"))
    var ends: [Bool] = []
    view.performBatchUpdates {
      view.data[0].items = cells("c9xb7")
      view.moveItem(at: [0, 2], to: [0, 0])
      view.deleteRows(at: [[0, 0]], with: .automatic)
      view.performBatchUpdates({ view.insertItems(at: [[0, 1]]) }, completion: nil)
      view.reloadRows(at: [[0, 1]], with: .automatic)
    } completion: {
      ends.append($0)
    }
    #expect(try view.displayed[0].items == cells("cxb7"))
    #expect(view.batches.count == 1)
    #expect(ends == [true])
    view.reloadData()
    #expect(try view.displayed == view.data)
  }

  @Test func callOutsideOfABatchIsABatch() throws {
    let view = SimulatedView(showing: cells("a"), cells("b"))
    view.data.removeFirst()
    view.deleteSections([0])
    #expect(try view.displayed == view.data)
    #expect(view.batches.count == 1)
  }

  @Test func headersKeepTheirContentUntilTheirSectionIsReloaded() throws {
    let (old, new) = (cells("pq"), cells("q5p6"))
    let view = SimulatedView(showing: old.map { ListSection($0, items: cells("\($0.id)")) })
    view.performBatchUpdates(
      {
        view.data = new.map { ListSection($0, items: cells("\($0.id)")) }
        view.moveSection(0, toSection: 1)
      }, completion: nil)
    #expect(try view.displayed.map(\.header) == cells("qp"))
    view.reloadSections([0])
    #expect(try view.displayed.map(\.header) == cells("q5p"))
  }

  @Test func dataThatIsSetBeforeTheBatchIsRefused() {
    let view = SimulatedView(showing: cells("ab"))
    view.data[0].items = cells("b")
    view.performBatchUpdates({ view.deleteItems(at: [[0, 0]]) }, completion: nil)
    #expect(throws: BatchError.setTooEarly) { try view.displayed }
  }

  @Test func refusedViewPerformsNothingMore() {
    let view = SimulatedView(showing: cells("ab"))
    view.performBatchUpdates({ view.deleteItems(at: [[0, 0]]) }, completion: nil)
    let refusal = BatchError.itemCount(section: 0, expected: 1, found: 2)
    #expect(throws: refusal) { try view.displayed }
    view.reloadData()
    view.update(from: cells("ab"), to: [], inSection: 0) { view.data[0].items = $0 }
    #expect(throws: refusal) { try view.displayed }
    #expect(view.batches.isEmpty && view.reloadCount == 0)
  }
}
