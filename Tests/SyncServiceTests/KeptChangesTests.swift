import Foundation
import ListChanges
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite(.serialized) struct KeptChangesTests {
  /// Versions with some hundred changes each in a list of 1,000 items.
  private func history(_ test: TestStore) async throws -> TestHistory {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(test)
    try await history.commit(history.newItems(1000))
    for _ in 0..<6 { try await history.commitEdits(250, &random) }
    return history
  }

  private func delta(_ test: TestStore, _ from: Int, _ to: Int) async throws -> Delta {
    try await test.service.delta(
      of: .parks, since: .version(Version(from)), to: .version(Version(to)))
  }

  @Test func secondCatchUpReadsTheKeptChangesOfTheFirst() async throws {
    let test = try TestStore()
    let history = try await history(test)
    for (from, to) in [(1, 6), (6, 1), (2, 7)] {
      var deltas: [Delta] = []
      let first = try await test.rowsRead { deltas.append(try await delta(test, from, to)) }
      let second = try await test.rowsRead { deltas.append(try await delta(test, from, to)) }
      #expect(deltas[0] == deltas[1])
      #expect(deltas[0].changes.moved.map(\.id) == deltas[1].changes.moved.map(\.id))
      #expect(deltas[0].changes == history.snapshots[from].changes(to: history.snapshots[to]))
      #expect(first > second, "\(first) rows")
      #expect(second < 20, "\(second) rows")
    }
    #expect(try await test.count("change_sets") == 3)
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func fewChangesAndSingleStepsAreNotKept() async throws {
    let test = try TestStore()
    var history = try await history(test)
    var random = SeededRandom.forThisRun()
    for _ in 0..<3 { try await history.commitEdits(2, &random) }
    _ = try await delta(test, 0, 1)
    _ = try await delta(test, 3, 4)
    _ = try await delta(test, 7, 10)
    _ = try await delta(test, 7, 7)
    #expect(try await test.count("change_sets") == 0)
  }

  @Test(arguments: [
    "UPDATE change_sets SET data = x''", "UPDATE change_sets SET data = substr(data, 1, 99)",
    "UPDATE change_sets SET data = CAST(data || x'00' AS BLOB)",
    "UPDATE change_sets SET data = zeroblob(length(data))",
  ])
  func damagedKeptChangesAreDetectedAndRecomputed(sql: String) async throws {
    let test = try TestStore()
    _ = try await history(test)
    let sound = try await delta(test, 1, 6)
    try await test.sql(sql)
    let fault = try #require(try await test.service.verify().faults.first)
    #expect(fault.list == .parks && fault.version == Version(6), "\(fault)")
    #expect(try await delta(test, 1, 6) == sound)
    #expect(try await test.service.verify(depth: .everything).faults == [])
    #expect(try await test.rowsRead { _ = try await delta(test, 1, 6) } < 20)
  }

  @Test func keptChangesOfOtherVersionsAreNotServedAndVerifyFindsThem() async throws {
    let test = try TestStore()
    var history = try await history(test)
    try await history.commit(history.snapshots[6].items + history.newItems(1))
    let counts = history.snapshots.map(\.items.count)
    let other = try #require((2...4).first { counts[$0] != counts[1] })
    let sound = try await delta(test, 1, 6)
    _ = try await delta(test, other, 6)
    // Replaces the changes from version 1 by those from another version: complete, with the same
    // end, but with other counts.
    try await test.sql(
      """
      UPDATE change_sets SET (data, byte_count) =
        (SELECT data, byte_count FROM change_sets WHERE from_version = \(other))
      WHERE from_version = 1
      """)
    #expect(try await test.service.verify().faults.map(\.version) == [Version(6)])
    #expect(try await delta(test, 1, 6) == sound)
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func deepVerificationComparesKeptChangesWithTheSteps() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    var items = try history.newItems(1000)
    try await history.commit(items)
    for round in 1...3 {
      for index in 0..<300 { items[index] = try TestHistory.item(items[index].id.text, round) }
      try await history.commit(items)
    }
    _ = try await delta(test, 1, 4)
    _ = try await delta(test, 1, 3)
    // The counts are right, the contents are not.
    try await test.sql(
      """
      UPDATE change_sets SET (data, byte_count) =
        (SELECT data, byte_count FROM change_sets WHERE to_version = 3) WHERE to_version = 4
      """)
    #expect(try await test.service.verify().faults == [])
    let fault = try #require(try await test.service.verify(depth: .everything).faults.first)
    #expect(fault.version == Version(4))
    #expect(fault.reason.contains("kept from version 1 to 4"))
  }

  @Test func readOnlyStoreGivesTheSameAnswers() async throws {
    let test = try TestStore()
    let history = try await history(test)
    let expected = history.snapshots[1].changes(to: history.snapshots[6])
    // While another process writes, nothing is kept, and no caller waits.
    let busy = try SQLiteStore(path: test.path, ifAbsent: .fail)
    let path = test.path
    // It would wait for longer than the test does.
    let waiting = try SQLiteStore(
      path: path, ifAbsent: .fail, busyTimeoutSeconds: Hang.seconds * 2)
    let service = SyncService(store: waiting) { TestStore.noon }
    try await busy.write { writer in
      _ = try writer.lists()
      let answer = Answer()
      Task {
        answer.delta = try? await service.delta(
          of: .parks, since: .version(Version(1)), to: .version(Version(6)))
        answer.isThere.signal()
      }
      #expect(answer.isThere.isSignalled())
      #expect(answer.delta?.changes == expected)
    }
    #expect(try await test.count("change_sets") == 0)
    // The folder and the file are read-only; root may write anyway, so only other users see the
    // refusal.
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    let reader = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
    let delta = try await reader.delta(
      of: .parks, since: .version(Version(1)), to: .version(Version(6)))
    #expect(delta.changes == expected)
  }

  /// A commit of this process, too: readers never wait for a writer.
  @Test func answerDoesNotWaitForACommitToKeepItsChanges() async throws {
    let test = try TestStore()
    let history = try await history(test)
    let service = test.service
    try await test.store.write { _ in
      let answer = Answer()
      Task {
        answer.delta = try? await service.delta(
          of: .parks, since: .version(Version(1)), to: .version(Version(6)))
        answer.isThere.signal()
      }
      #expect(answer.isThere.isSignalled())
      let isRight = answer.delta?.changes == history.snapshots[1].changes(to: history.snapshots[6])
      #expect(isRight)
    }
    #expect(try await test.count("change_sets") == 0)
    _ = try await delta(test, 1, 6)
    #expect(try await test.count("change_sets") == 1, "it is kept once nobody writes")
  }

  /// Unchecked because the semaphore orders writing before reading.
  private final class Answer: @unchecked Sendable {
    var delta: Delta?
    let isThere = DispatchSemaphore(value: 0)
  }

  @Test func useOfKeptChangesIsRecordedOnceAnHour() {
    func isNoted(_ last: Int64?, _ now: Int64) -> Bool {
      KeptChangesRule.isWorthRecording(
        last: last.map { Timestamp(millisecondsSince1970: $0) },
        at: Timestamp(millisecondsSince1970: now))
    }
    #expect(isNoted(nil, 0))
    #expect(!isNoted(0, 3_600_000))
    #expect(isNoted(0, 3_600_001))
    // A clock that was set back, and impossible times.
    #expect(isNoted(7_200_001, 0))
    #expect(isNoted(.min, .max))
    #expect(isNoted(.max, .min))
  }
}
