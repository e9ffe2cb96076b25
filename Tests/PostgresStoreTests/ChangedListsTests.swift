import ListModel
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Testing

@testable import ListStore

/// The record of changed lists, where it differs from other engines: writers of different lists
/// record at the same time, and the server may change.
@Suite(.needsPostgreSQL) struct ChangedListsTests {
  @Test func refreshTakesTheSameRoundTripsForAnyNumberOfLists() async throws {
    var counts: [[Int]] = []
    for listCount in [10, 2000] {
      let test = try PostgresTest("refresh")
      try await test.store.write { writer in
        for number in 0..<listCount { _ = try writer.createList(ListName("list\(number)")!) }
      }
      let headCache = HeadCache(service: test.service)
      try await test.commit("a")
      try await headCache.refresh()
      var trips: [Int] = []
      for number in 0..<3 {
        try await test.commit("a=\(number + 1)")
        let before = test.store.roundTripCount
        try await headCache.refresh()
        trips.append(test.store.roundTripCount - before)
      }
      counts.append(trips)
      #expect(headCache.heads() == (try await test.service.lists()))
      #expect(headCache.listCount == listCount + 1)
    }
    #expect(counts[0] == counts[1] && counts[0].allSatisfy { $0 <= 5 }, "\(counts)")
  }

  @Test func boardSeesWhatManyWritersOfOtherProcessesCommitAtOnce() async throws {
    let test = try PostgresTest("many")
    let headCache = HeadCache(service: test.service)
    try await headCache.refresh()
    let others = [try test.other(), try test.other()]
    for round in 0..<6 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let list = ListName("list\(number)")!
            for value in 0...round {
              _ = try await others[number % 2].commit(
                CommitRequest(list: list, snapshot: .of("a=\(round)", "b=\(value)")))
            }
          }
        }
        group.addTask { for _ in 0..<20 { try await headCache.refresh() } }
        try await group.waitForAll()
      }
      try await headCache.refresh()
      #expect(headCache.heads() == (try await test.service.lists()))
    }
    let record = try test.server.sql(
      "SELECT max(length(changed)) <= 256, sum(number) FROM \"\(test.schema)\".marks")
    #expect(record.first?.hasPrefix("t|") == true, "\(record)")
  }

  /// A new connection may lead to a server that lacks the last commits.
  @Test func markEndsWithTheConnections() async throws {
    let test = try PostgresTest("mark ends")
    try await test.commit("a")
    let name = "ending\(UInt32.random(in: 0 ... .max))"
    let store = try PostgresStore(
      address: test.server.address("&application_name=\(name)"), schema: test.schema,
      createsMissing: false)
    func ask(_ mark: ChangeToken?) async throws -> (mark: ChangeToken, changes: ChangedKeys?) {
      try await store.read { try $0.changedLists(after: mark) }
    }
    let mark = try await ask(nil).mark
    #expect(try await ask(mark).changes == ChangedKeys([]))
    try test.server.sql(
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'
      """)
    let (next, changes) = try await ask(mark)
    #expect(changes == nil && next != mark)
    #expect(try await ask(next).changes == ChangedKeys([]))
    // A restored database counts from an earlier number.
    try test.server.sql("UPDATE \"\(test.schema)\".marks SET number = number - 1")
    #expect(try await ask(next).changes == nil)
    try test.server.sql("DELETE FROM \"\(test.schema)\".marks")
    #expect(try await ask(next).changes == nil)
  }
}
