import Foundation
import GRDB
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite(.serialized) struct CheckpointTests {
  @Test(arguments: [
    (0, 0, false), (255, 0, false), (256, 0, true), (255, 255, false), (256, 256, true),
    (256, 257, false), (999, 1000, false), (1000, 1000, true), (.max, 1000, true),
  ])
  func checkpointIsDueWhenTheChangesExceedTheListSize(changes: Int, items: Int, isDue: Bool) {
    #expect(CheckpointRule.isDue(changesSinceLast: changes, itemCount: items) == isDue)
  }

  private func checkpoints(of test: TestStore) async throws -> [Int] {
    try await test.rows("SELECT DISTINCT version FROM checkpoints ORDER BY version")
      .compactMap { $0[0].flatMap { Int($0) } }
  }

  @Test func commitWritesACheckpointThatBecomesDue() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    var items = try history.newItems(300)
    try await history.commit(items)
    #expect(try await checkpoints(of: test) == [1])
    for round in 1...3 {
      // 100 changes a version: the third makes 300.
      for index in 0..<100 { items[index] = try TestHistory.item(items[index].id.text, round) }
      try await history.commit(items)
      #expect(try await checkpoints(of: test) == (round < 3 ? [1] : [1, 4]))
    }
    try await history.commit([])
    #expect(try await checkpoints(of: test) == [1, 4, 5])
    try await history.commit(history.newItems(255))
    #expect(try await checkpoints(of: test) == [1, 4, 5])
  }

  @Test func everyAnswerIsTheSameWithoutCheckpoints() async throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<2 {
      let test = try TestStore()
      var history = TestHistory(test)
      try await history.commit(history.newItems([5, 600][round]))
      for step in 0..<30 {
        let count = step % 13 == 12 ? 400 : Int.random(in: 1...30, using: &random)
        try await history.commitEdits(count, &random)
      }
      #expect(try await !checkpoints(of: test).isEmpty)
      let context = Comment(rawValue: "seed \(random.seed), round \(round)")
      let pairs = history.randomPairs(8, &random)
      let answers = try await history.answers(pairs)
      #expect(answers.snapshots == history.snapshots, context)
      #expect(answers.report.faults == [], context)
      try await test.store.write { writer in
        try writer.dropCheckpoints(of: writer.existingLockedList(.parks).key)
      }
      #expect(try await test.count("checkpoints") == 0)
      #expect(try await test.count("head_parts") == 0)
      #expect(try await history.answers(pairs) == answers, context)
      try await history.commitEdits(3, &random)
      #expect(try await test.count("head_parts") > 0)
      #expect(
        try await test.service.snapshot(of: .parks).snapshot == history.snapshots.last, context)
      #expect(try await test.service.verify(depth: .everything).faults == [], context)
    }
  }

  @Test func readingAnyVersionCostsASmallMultipleOfItsSize() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(400))
    for _ in 0..<200 { try await history.commitEdits(.random(in: 1...12, using: &random), &random) }
    let changes = try await test.service.size().changeCount
    var most = 0
    for number in 1...history.head.number where number % 7 == 0 || number > 190 {
      let before = test.store.rowsReadCount
      _ = try await test.store.read { reader in
        try reader.storedItems(at: Version(number), of: reader.existingList(.parks)).count
      }
      let read = test.store.rowsReadCount - before
      most = max(most, read)
      // A row for each change since the checkpoint, one for each version, and one for each of a
      // part or two.
      let limit = 2 * max(history.snapshots[number].items.count, 256) + 8
      #expect(read <= limit, "version \(number): \(read) rows, seed \(random.seed)")
    }
    // The history is many times as long as the cost of any version.
    #expect(changes > 3 * most, "\(changes) changes, \(most) rows at most")
  }

  @Test func checkpointsHaveAtMostOneEntryPerChange() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(300))
    for _ in 0..<200 { try await history.commitEdits(10, &random) }
    let entries = try await checkpoints(of: test).map { history.snapshots[$0].items.count }
    #expect(entries.count >= 3)
    #expect(entries.reduce(0, +) <= (try await test.service.size().changeCount))
  }

  /// Checkpoints in several rows, each with several parts.
  @Test func longCheckpointIsReadFromSeveralRows() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    var random = SeededRandom.forThisRun()
    try await history.commit(history.newItems(40_000).shuffled(using: &random))
    try await history.commit(history.snapshots[1].items.dropLast(1000).shuffled(using: &random))
    #expect(try await test.count("checkpoints WHERE version = 2") > 1)
    let snapshot = try await test.service.snapshot(of: .parks, at: .version(Version(2)))
    #expect(snapshot.snapshot == history.snapshots[2])
    #expect(try await test.service.verify().faults == [])
    try await test.sql("DELETE FROM checkpoints WHERE version = 2 AND part = 1")
    let fault = try #require(try await test.service.verify().faults.first)
    #expect(fault.version == Version(2))
  }

  private static let damages = [
    "DELETE FROM checkpoints WHERE part = 0", "UPDATE checkpoints SET data = x''",
    "UPDATE checkpoints SET data = substr(data, 1, length(data) - 1)",
    "UPDATE checkpoints SET data = CAST(data || data AS BLOB)",
    "UPDATE checkpoints SET part = part + 1",
    "UPDATE checkpoints SET version = 3 WHERE version = 2",
    "UPDATE checkpoints SET version = 99 WHERE version = 2",
    "UPDATE checkpoints SET version = -1 WHERE version = 2",
    "UPDATE checkpoints SET data = (SELECT data FROM checkpoints AS c ORDER BY version DESC)",
    "UPDATE checkpoints SET list_id = 7 WHERE version = 2",
    "DELETE FROM head_parts WHERE rank = (SELECT min(rank) FROM head_parts)",
    "UPDATE head_parts SET rank = -3 * rank - 1",
    "UPDATE head_parts SET lowest_item = lowest_item - 1",
    "UPDATE head_parts SET data = (SELECT data FROM checkpoints LIMIT 1)",
    "UPDATE head_parts SET list_id = 7",
  ]

  /// Damage never gives a wrong list, and verification names it.
  @Test func aDamagedCheckpointNeverGivesAWrongList() async throws {
    let original = try TestStore()
    var history = TestHistory(original)
    var items = try history.newItems(3000)
    try await history.commit(items)
    items = items.dropLast(1000).reversed()
    try await history.commit(items)
    items[1500] = try TestHistory.item(items[1500].id.text, 5)
    try await history.commit(items)
    try await history.commit(items + history.newItems(1))
    #expect(try await checkpoints(of: original) == [1, 2])
    try await original.emptyLog()
    for sql in Self.damages {
      let test = try TestStore(copying: original.path)
      try await test.sql(sql)
      for (number, snapshot) in history.snapshots.enumerated() {
        let read = try? await test.service.snapshot(of: .parks, at: .version(Version(number)))
        if let read { #expect(read.snapshot == snapshot, "version \(number) after \(sql)") }
      }
      // A checkpoint that is missing completely is no fault.
      if sql.hasPrefix("DELETE FROM checkpoints") { continue }
      #expect(try await !test.service.verify().faults.isEmpty, "\(sql)")
    }
  }

  @Test func checkpointsAreDeflatedAndADamagedOneIsNeverAWrongList() async throws {
    let test = try TestStore()
    let ids = (0..<600).map { "i\($0)" }
    var random = SeededRandom.forThisRun()
    var snapshots: [Snapshot] = []
    for _ in 0..<8 {
      let snapshot = try Snapshot.of(ids.shuffled(using: &random))
      snapshots.append(snapshot)
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
    }
    func data() async throws -> [String] {
      try await test.rows("SELECT hex(data) FROM checkpoints ORDER BY version")
        .compactMap { $0[0] }
    }
    let packed = try await data()
    #expect(packed.count > 2)
    // The first one is a few bytes.
    #expect(packed.dropFirst().allSatisfy { $0.hasPrefix("00") })
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    for offset in stride(from: 0, to: packed[1].count, by: 100) {
      var digits = Array(packed[1])
      digits[offset] = digits[offset] == "0" ? "1" : "0"
      try await test.sql(
        """
        UPDATE checkpoints SET data = x'\(String(digits))'
        WHERE version = (SELECT version FROM checkpoints ORDER BY version LIMIT 1 OFFSET 1)
        """)
      for (number, snapshot) in snapshots.enumerated() {
        let version = Revision.version(Version(number + 1))
        do {
          #expect(try await test.service.snapshot(of: .parks, at: version).snapshot == snapshot)
        } catch {
          #expect(error is StoreError || error is ServiceError)
        }
      }
      #expect(try await !test.service.verify(depth: .everything).faults.isEmpty)
    }
  }
}
