import ListModel
import ParkLists
import SyncService

/// Row 10.
struct ItemHistory: Row {
  static let number = 10
  static let title = "history of one item"
  let bench: Workbench

  private static let editCount = 5
  /// The edits, and the insertion.
  private static let ownChangeCount = editCount + 1
  /// Blocks for each change: of its step, where its step begins, and its texts.
  private static let highestBlockCount = 4 * ownChangeCount

  func findings() async throws -> [Finding] {
    ReadCounter.install()
    let count = bench.scaled(1_000_000)
    let elsewhere = bench.scaled(100_000)
    let (large, cost) = try await counted(itemCount: count, changesElsewhere: elsewhere)
    let (small, _) = try await counted(itemCount: 1_000, changesElsewhere: 0)
    let isReached = large.blockCount <= Self.highestBlockCount && large.scanStepCount == 0
    return [
      Finding(
        work: """
          blocks read for the history of one of \(Figures.count(count)) items, with \
          \(Figures.count(elsewhere)) changes elsewhere
          """,
        goal: "≤ 4 for each of its \(Self.ownChangeCount) changes",
        measured: "\(large.blockCount)",
        outcome: isReached ? .reached : .missed,
        figures: """
          \(cost); blocks among 1,000 items with no other changes \(small.blockCount); here and \
          there: segments \(large.segmentCount) and \(small.segmentCount), steps through whole \
          tables \(large.scanStepCount) and \(small.scanStepCount), SQLite instructions \
          \(large.instructionCount) and \(small.instructionCount)
          """)
    ]
  }

  /// SQLite's work for the history of an updated item. All other items were updated at the same
  /// time.
  private func counted(
    itemCount: Int, changesElsewhere: Int
  ) async throws -> (ReadCount, Samples) {
    let path = bench.newPath("item.db")
    var versions = try await ParkHistory(
      path: path, of: ParkList(count: itemCount, seed: 10))
    let subject = versions.list.parks[itemCount / 2]
    for _ in 0..<Self.editCount {
      var list = versions.list
      list.edit(EditMix(updates: changesElsewhere / Self.editCount))
      list.update(number: subject.number)
      try await versions.commit(list)
    }
    let service = versions.store.service
    let history = { try await service.history(of: ItemID(subject.id), in: ParkStore.list) }
    _ = try await history()
    _ = ReadCounter.take()
    let entries = try await history()
    let count = ReadCounter.take()
    // An edit elsewhere may have met the item, and then both are one change.
    precondition(entries.count == Self.ownChangeCount, "the item has its own changes")
    var times = Samples()
    for _ in 0..<bench.rounds * 5 {
      times.add(try await Clock.measureAsync { try await history() }.1)
    }
    bench.remove(database: path)
    return (count, times)
  }
}
