import ListModel
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Round trips are the cost of a store across a network. Their number does not depend on the length
/// of the list.
@Suite(.needsPostgreSQL) struct RoundTripTests {
  private func items(_ count: Int) -> [String] { (0..<count).map { "i\($0)" } }

  @Test func answersOfAnyLengthAreReadRowByRow() async throws {
    let test = try PostgresTest("rows")
    for number in 0..<3 {
      let snapshot = try Snapshot.of(items(3000).map { "\($0)=\(number)" })
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
      #expect(try await test.service.snapshot(of: .parks).snapshot == snapshot)
    }
    _ = try await test.service.delta(of: .parks, since: .version(Version(1)))
    #expect(try await test.service.verify(depth: .everything).faults == [])
    // A query that is asked along with another one is short, and its answer arrives at once.
    #expect(test.store.largestResultRowCount < 10)
  }

  /// The server has no statistics of a list that was just committed.
  @Test(.onOneServer) func changesOfAFreshListReadFewOfItsRows() async throws {
    let test = try PostgresTest("keys")
    /// The rows that a connection reads, which it reports when it ends.
    func readRows(_ name: String, _ body: (SyncService) async throws -> Void) async throws -> Int {
      func count() throws -> Int {
        let found = try test.server.sql(
          """
          SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables
          WHERE schemaname = '\(test.schema)' AND relname IN ('segments', 'blocks')
          """)
        return try #require(Int(found[0]))
      }
      let before = try count()
      try await body(test.other("&application_name=\(name)"))
      try await eventually("the connections have ended") {
        try test.server.sql(
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'") == ["0"]
      }
      return try count() - before
    }
    _ = try await readRows("fills") { service in
      for number in 0..<2 {
        let snapshot = try Snapshot.of(
          items(20_000).map { $0.hasSuffix("77") ? "\($0)=\(number)" : $0 })
        _ = try await service.commit(CommitRequest(list: .parks, snapshot: snapshot))
      }
    }
    let count = try await readRows("changes") { service in
      _ = try await service.delta(of: .parks, since: .version(Version(1)))
      let edit = Edit.put(try Snapshot.of("i7=9").items[0], nil)
      _ = try await service.commit(CommitRequest(list: .parks, edits: [edit]))
    }
    #expect(count > 0 && count < 100)
  }

  @Test func statementsArePreparedOnceForAConnection() async throws {
    let test = try PostgresTest("prepared")
    var counts: [Int] = []
    for number in 0..<8 {
      try await test.commit("a=\(number)", "b")
      let version = try #require(try await test.service.state(of: .init(.parks)).cursor?.version)
      _ = try await test.service.delta(of: .parks, since: .version(Version(version.number - 1)))
      counts.append(test.store.preparationCount)
    }
    // The first commit also creates the list, and the first changes have other types.
    #expect(counts[0] > 5 && counts[2] == counts[7], "\(counts)")
  }

  @Test(arguments: [10, 5000])
  func roundTripsDoNotGrowWithTheList(count: Int) async throws {
    let test = try PostgresTest("trips")
    let service = test.service
    func trips(_ body: () async throws -> Void) async throws -> Int {
      let before = test.store.roundTripCount
      try await body()
      return test.store.roundTripCount - before
    }
    func commit(_ content: CommitRequest.Content) async throws -> Int {
      try await trips { _ = try await service.commit(CommitRequest(list: .parks, content)) }
    }
    // The name, its former lists; the list; its next change; ids, rows; the commit.
    // A long first version has a transaction more for each megabyte, and one that begins it.
    #expect(try await commit(.snapshot(.of(items(count)))) <= (count == 10 ? 7 : 14))
    #expect(try await commit(.snapshot(.of(items(count).dropFirst() + ["new"]))) <= 7)
    // From now on the key of the list is known.
    #expect(try await commit(.snapshot(.of(items(count).dropFirst() + ["newer"]))) <= 6)
    #expect(try await commit(.snapshot(.of(items(count).dropFirst() + ["new"]))) <= 6)
    for number in 0..<20 {
      let id = "i\(number % 5 + 1)"
      func item(_ content: Int) throws -> Item { try Snapshot.of("\(id)=\(content)").items[0] }
      // The list with its ids; places in the head; texts; the commit.
      #expect(try await commit(.edits([.put(item(number), nil)])) <= 4)
      #expect(try await commit(.edits([.remove(ItemID(id))])) <= 4)
      // The end of the list, and what the item contained before.
      #expect(try await commit(.edits([.put(item(number + 1), nil)])) <= 6)
    }
    let old = try await service.snapshot(of: .parks)
    let new = try Snapshot.of(old.snapshot.items.map { $0.id == "i6" ? "i6=99" : "\($0.id)" })
    let update = BareChanges(old.snapshot.changes(to: new))
    #expect(try await commit(.changes(update, from: old.state, to: nil)) <= 4)
    let start = try #require(try await service.state(of: ListRevision(.parks)).cursor?.version)
    // The list with its versions and segments; the blocks of a long list. Two versions of a short
    // list are compared.
    let isShort = count == 10
    for (distance, most) in [(1, isShort ? 1 : 2), (5, 2), (start.number - 1, isShort ? 3 : 2)] {
      let since = Version(start.number - distance)
      let used = try await trips {
        _ = try await service.delta(of: .parks, since: .version(since))
      }
      #expect(used <= most, "\(distance) versions took \(used)")
    }
    // The list with its ids; the item; its changes; their versions and texts.
    #expect(try await trips { _ = try await service.history(of: "i3", in: .parks) } <= 5)
    // The list with its ids; the head's part; the steps, with versions.
    #expect(try await trips { _ = try await service.places(of: "i3", in: .parks) } <= 8)
    #expect(try await trips { _ = try await service.blame("i3", in: .parks) } <= 6)
    #expect(try await trips { _ = try await service.tags(of: .parks) } <= 2)
  }
}
