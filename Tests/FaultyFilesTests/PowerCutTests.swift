import FaultyFiles
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@Suite struct PowerCutTests {
  private static func numbers(
    _ state: DiskState, _ outcome: DiskState.Outcome
  ) throws -> [Int]? {
    try WatchedFolder.numbers { try state.writeImage(to: $0, outcome) }
  }

  @Test func onlyACommitWhoseWALIsSyncedSurelySurvivesAPowerCut() throws {
    for (synchronous, dropped) in [("FULL", [1, 2]), ("NORMAL", [1])] {
      let folder = try WatchedFolder()
      let queue = try folder.open("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
      try queue.run("PRAGMA synchronous = FULL; INSERT INTO t VALUES (1)")
      try queue.run("PRAGMA synchronous = \(synchronous); INSERT INTO t VALUES (2)")
      let state = folder.faults.disk
      #expect(state.isSynced == (synchronous == "FULL"))
      #expect(try Self.numbers(state, .allDropped) == dropped)
      #expect(try Self.numbers(state, .allKept) == [1, 2])
    }
  }

  /// As SQLite's own documentation has it (pragma synchronous): FULL does not sync the folder after
  /// the journal is deleted, EXTRA does.
  @Test func deletedJournalMayReappearUntilItsFolderIsSynced() throws {
    for (synchronous, dropped) in [("FULL", [1]), ("EXTRA", [1, 2])] {
      let folder = try WatchedFolder()
      let queue = try folder.open("PRAGMA synchronous = EXTRA; CREATE TABLE t (x)")
      try queue.run("INSERT INTO t VALUES (1)")
      try queue.run("PRAGMA synchronous = \(synchronous); INSERT INTO t VALUES (2)")
      let state = folder.faults.disk
      #expect(state.isSynced == (synchronous == "EXTRA"))
      #expect(try Self.numbers(state, .allDropped) == dropped)
      #expect(try Self.numbers(state, .allKept) == [1, 2])
    }
  }

  @Test func imageHoldsASyncedTransactionWhollyOrNotAtAllAtEveryOperation() throws {
    var random = SeededRandom.forThisRun()
    for mode in ["WAL", "DELETE", "TRUNCATE", "PERSIST"] {
      let folder = try WatchedFolder()
      let queue = try folder.open(
        "PRAGMA journal_mode = \(mode); PRAGMA synchronous = EXTRA; CREATE TABLE t (x)")
      let states = Mutex<[DiskState]>([])
      folder.faults.observe { _, state in states.withLock { $0.append(state) } }
      try queue.run(
        "BEGIN; INSERT INTO t VALUES (1); INSERT INTO t VALUES (zeroblob(9000)); COMMIT")
      folder.faults.observe(nil)
      var counts: Set<Int?> = []
      for (number, state) in states.withLock({ $0 }).enumerated() {
        for _ in 0..<4 {
          let context = Comment(rawValue: "\(mode), operation \(number), seed \(random.seed)")
          #expect(throws: Never.self, context) {
            let numbers = try WatchedFolder.numbers {
              try state.writeImage(to: $0, using: &random)
            }
            counts.insert(numbers?.count)
          }
        }
      }
      #expect(counts.subtracting([0, 2]).isEmpty, "\(mode), seed \(random.seed)")
    }
  }

  @Test func someImagesOfAHistoryLoseDataWithoutSyncs() throws {
    var random = SeededRandom(seed: 7)
    let folder = try WatchedFolder()
    let queue = try folder.open(
      "PRAGMA journal_mode = WAL; CREATE TABLE t (x); PRAGMA synchronous = OFF")
    for number in 1...200 { try queue.run("INSERT INTO t VALUES (\(number))") }
    try queue.run("PRAGMA wal_checkpoint")
    var lossCount = 0
    for _ in 0..<20 {
      let numbers = try? WatchedFolder.numbers {
        try folder.faults.disk.writeImage(to: $0, using: &random)
      }
      lossCount += numbers == Array(1...200) ? 0 : 1
    }
    #expect(lossCount > 0)
  }

  @Test func filesFromBeforeTheWatchCountAsSynced() throws {
    let folder = try WatchedFolder()
    try folder.open().run("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    let faults = try FaultyFolder(folder.url)
    #expect(faults.disk.isSynced)
    #expect(try Self.numbers(faults.disk, .allDropped) == [1])
  }
}
