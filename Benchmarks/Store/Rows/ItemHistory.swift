import ListModel
import ParkLists
import SyncService

/// Row 10.
struct ItemHistory: Row {
  static let number = 10
  static let title = "history of one item"
  let bench: Workbench

  private static let ownChangeCount = 5

  func findings() async throws -> [Finding] {
    ReadCounter.install()
    let count = bench.scaled(1_000_000)
    let elsewhere = bench.scaled(100_000)
    let (large, cost) = try await counted(itemCount: count, changesElsewhere: elsewhere)
    let (small, _) = try await counted(itemCount: 1_000, changesElsewhere: 0)
    let isReached =
      large.rowCount == small.rowCount && large.scanStepCount == 0
      && large.instructionCount <= 2 * small.instructionCount
    return [
      Finding(
        work: """
          rows read for the history of an item with \(Self.ownChangeCount + 1) changes among \
          \(Figures.count(count)) with \(Figures.count(elsewhere)) changes elsewhere
          """,
        goal: "as among 1,000 items with none", measured: "\(large.rowCount)",
        outcome: isReached ? .reached : .missed,
        figures: """
          \(cost); rows \(large.rowCount) and \(small.rowCount), steps through whole tables \
          \(large.scanStepCount) and \(small.scanStepCount), SQLite instructions \
          \(large.instructionCount) and \(small.instructionCount)
          """)
    ]
  }

  /// What SQLite does for the history of an item that was updated, as everything else was at the
  /// same time.
  private func counted(
    itemCount: Int, changesElsewhere: Int
  ) async throws -> (ReadCount, Samples) {
    let path = bench.newPath("item.db")
    let store = try ParkStore(path: path)
    var list = ParkList(count: itemCount, seed: 10)
    let subject = list.parks[itemCount / 2]
    try await store.commit(list)
    for _ in 0..<Self.ownChangeCount {
      list.edit(EditMix(updates: changesElsewhere / Self.ownChangeCount))
      list.update(number: subject.number)
      try await store.commit(list)
    }
    let history = {
      try await store.service.history(of: ItemID(subject.id), in: ParkStore.list)
    }
    _ = try await history()
    _ = ReadCounter.take()
    let entries = try await history()
    let count = ReadCounter.take()
    // An edit elsewhere may have met the item, and then both are one change.
    precondition(entries.count == Self.ownChangeCount + 1, "the item has its own changes")
    var times = Samples()
    for _ in 0..<bench.rounds * 5 {
      times.add(try await Clock.measureAsync { try await history() }.1)
    }
    bench.remove(database: path)
    return (count, times)
  }
}
