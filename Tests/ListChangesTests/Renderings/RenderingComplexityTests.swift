import TestSupport
import Testing

@testable import ListChanges

/// Renderings read changes, not lists: few changes between two lists of a trillion items cost the
/// same as between short lists. Reading the lists would exceed time or memory here.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct RenderingComplexityTests {
  private let count = 1 << 40
  private let old = (0..<1 << 40).lazy.map { Pair(id: $0, value: 0) }

  /// Item 10 is removed, the last moves to the front and changes, 20 changes, and one more comes at
  /// the end.
  private func changes() throws -> ChangeSet<Pair> {
    let (first, last) = (Pair(id: 20, value: 0), Pair(id: count - 1, value: 0))
    return try ChangeSet(
      oldCount: count, newCount: count,
      removed: [.init(from: 10, element: Pair(id: 10, value: 0))],
      moved: [.init(from: count - 1, to: 0, id: last.id)],
      inserted: [.init(to: count - 1, element: Pair(id: -1, value: 0))],
      updated: [
        .init(from: count - 1, to: 0, old: last, new: Pair(id: last.id, value: 1)),
        .init(from: 20, to: 20, old: first, new: Pair(id: 20, value: 1)),
      ])
  }

  @Test func batchesNeedNoWorkPerItemOfTheList() throws {
    let changes = try changes()
    #expect(
      changes.batchUpdates()
        == BatchUpdates(
          deleted: [10, count - 1], inserted: [0, count - 1], reloaded: [20]))
    #expect(changes.twoBatchUpdates().second == BatchUpdates(reloaded: [0, 20]))
    #expect(
      changes.actions() == [.deleted(10), .moved(count - 1, 0), .added(count - 1)])
  }

  @Test func indexUpdatesNeedNoWorkPerItemOfTheList() throws {
    let update = try changes().indexUpdate()
    #expect(
      update
        == IndexUpdate(insertions: [0, count - 1], deletions: [10, count - 1], reloads: [20]))
    let backAndForth = update.composed(with: update.inverse)
    #expect(
      backAndForth
        == IndexUpdate(
          insertions: [10, count - 1], deletions: [10, count - 1], reloads: [20]))
  }

  @Test func stagesAndStepsNeedNoWorkPerItemOfTheList() throws {
    let staged = try changes().stagedChanges()
    #expect(staged.updated == [20, count - 1])
    #expect(staged.moved == [IndexMove(from: count - 2, to: 0)])
    #expect(
      try changes().sequentialSteps().steps == [
        .delete(10), .move(from: count - 2, to: 0), .insert(count - 1), .update(0), .update(20),
      ])
  }

  @Test func differencesNeedNoWorkPerItemOfTheList() throws {
    let difference = try changes().collectionDifference(from: old)
    #expect(difference.removals.count == 3)
    #expect(difference.insertions.count == 3)
  }
}
