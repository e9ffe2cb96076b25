import ListModel
import ListStore
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite(.needsPostgreSQL) struct DataVersionTests {
  @Test func markChangesExactlyWithEachCommitToThisStoreByAnyProcess() async throws {
    let (test, neighbour) = (try PostgresTest("mark"), try PostgresTest("neighbour"))
    let other = try test.other()
    try await test.commit("a")
    var last = try await test.store.dataVersion()
    for number in 1...10 {
      try await neighbour.commit("a=\(number)")
      _ = try await test.service.snapshot(of: .parks)
      #expect(try await test.store.dataVersion() == last)
      _ = try await other.commit(CommitRequest(list: .parks, snapshot: .of("a=\(number)")))
      let mark = try await test.store.dataVersion()
      #expect(mark != last)
      last = mark
      // A commit that changes nothing leaves no trace.
      try await test.commit("a=\(number)")
      #expect(try await test.store.dataVersion() == last)
    }
  }

  @Test func writersOfDifferentListsAreAllCountedAndDoNotWait() async throws {
    let test = try PostgresTest("writers")
    let other = try test.other()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let list = ListName("list\(number)")!
          for value in 0..<5 {
            _ = try await (number % 2 == 0 ? test.service : other).commit(
              CommitRequest(list: list, snapshot: .of("a=\(value)")))
          }
        }
      }
      try await group.waitForAll()
    }
    let rows = try test.server.sql(
      "SELECT sum(number), count(*) <= 128 FROM \"\(test.schema)\".marks")
    #expect(rows == ["40|t"])
    let holder = Task {
      try await test.store.write { writer in
        _ = try writer.lockedList(ListName("list0")!)
        let commit = Task {
          try await other.commit(CommitRequest(list: .parks, snapshot: .of("a")))
        }
        var isMade = false
        while !isMade {
          isMade = try test.server.sql("SELECT count(*) FROM \"\(test.schema)\".lists") == ["9"]
        }
        return commit
      }
    }
    _ = try await holder.value.value
  }
}
