import Foundation
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import PostgresStore

/// A store whose tables are distributed over a coordinator and two workers, beside what all stores
/// in PostgreSQL keep to.
@Suite(.needsCitus, .serialized, .timeLimit(.minutes(Hang.minutes))) struct ClusterTests {
  static let own = Result { try CitusCluster("own", loading: "citus,pg_stat_statements") }

  func service(
    of test: PostgresTest, at server: PostgresServer, waiting seconds: Double = 10
  ) throws -> SyncService {
    let store = try PostgresStore(
      address: server.address(), schema: test.schema, createsMissing: false,
      busyTimeoutSeconds: seconds)
    return SyncService(store: store) { TestStore.noon }
  }

  // MARK: Statements between machines

  /// What the connections to a store sent from one server to others while a body ran.
  private func sent(
    by server: PostgresServer, of schema: String, _ body: () async throws -> Void
  ) async throws -> [String] {
    func lines() throws -> [(process: Substring, statement: String)] {
      try String(contentsOfFile: "\(server.folder)/log", encoding: .utf8)
        .split(separator: "\n").compactMap { line in
          guard let start = line.firstRange(of: "issuing "),
            let process = line.firstMatch(of: #/\[(\d+)\]/#)?.1
          else { return nil }
          return (process, String(line[start.upperBound...]))
        }
    }
    let before = try lines().count
    try await body()
    // Nobody waits for the end of a transaction that only read.
    try await Task.sleep(for: .milliseconds(200))
    let new = try lines().dropFirst(before)
    // The servers also have work of their own, such as the search for deadlocks.
    let own = Set(new.filter { $0.statement.contains(schema) }.map(\.process))
    return new.filter { own.contains($0.process) }.map(\.statement)
  }

  @Test func wayStaysOnTheMachineOfItsList() async throws {
    let cluster = try Self.own.get()
    let plain = try PostgresServer("plain", loading: "pg_stat_statements")
    try plain.sql("CREATE EXTENSION pg_stat_statements")
    for server in cluster.nodes {
      try server.sql("ALTER SYSTEM SET citus.log_remote_commands = on")
      try server.sql("ALTER SYSTEM SET log_min_messages = notice")
      try server.sql("SELECT pg_reload_conf()")
    }
    let here = try PostgresTest("plain", on: plain)
    let there = try PostgresTest("steps", on: cluster.coordinator, shardCount: 4)
    for test in [here, there] {
      for number in 0..<3 { try await test.commit("a=\(number)", "b", "c\(number)") }
    }
    let owners = try cluster.coordinator.sql(
      """
      SELECT nodename FROM "\(there.schema)".names JOIN pg_dist_shard ON shardid =
        get_shard_id_for_distribution_column('"\(there.schema)".lists', list_id)
      JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
      """)
    let owner = try #require(cluster.workers.first { owners == [$0.folder] })
    let ways: [(name: String, run: @Sendable (SyncService) async throws -> Void)] = [
      (
        "commit",
        { _ = try await $0.commit(CommitRequest(list: .parks, snapshot: .of("b=9", "a"))) }
      ),
      (
        "edit",
        {
          let edit = Edit.put(try Snapshot.of("a=77").items[0], nil)
          _ = try await $0.commit(CommitRequest(list: .parks, edits: [edit]))
        }
      ),
      ("delta", { _ = try await $0.delta(of: .parks, since: .version(Version(1))) }),
      ("snapshot", { _ = try await $0.snapshot(of: .parks) }),
      ("log", { _ = try await $0.log(of: .parks) }),
      ("tag", { _ = try await $0.tag(TagName("t\(UInt32.random(in: 0...999))")!, of: .parks) }),
    ]
    for way in ways {
      try plain.sql("SELECT pg_stat_statements_reset()")
      let service = SyncService(store: here.store) { TestStore.noon }
      try await way.run(service)
      let statements = try plain.sql(
        """
        SELECT sum(calls) FROM pg_stat_statements WHERE query LIKE '%"\(here.schema)"%'
          AND query NOT LIKE '%.names %' AND query NOT LIKE '%.former\\_lists %'
        """)
      let count = Int(statements.first ?? "") ?? 0
      let through = try self.service(of: there, at: cluster.coordinator)
      let remote = try await sent(by: cluster.coordinator, of: there.schema) {
        try await way.run(through)
      }
      let begun = remote.count { $0.hasPrefix("BEGIN") }
      let ended = remote.count { $0.hasPrefix("COMMIT") || $0.hasPrefix("ROLLBACK") }
      #expect(!remote.contains { $0.contains("PREPARE") }, "\(way.name): a commit in two phases")
      #expect(begun == ended && begun > 0, "\(way.name): \(remote)")
      // The same statements, and the beginning and end of each transaction.
      #expect(remote.count - begun - ended <= count, "\(way.name): \(count), \(remote)")
      let atOwner = try self.service(of: there, at: owner)
      let sent = try await sent(by: owner, of: there.schema) { try await way.run(atOwner) }
      #expect(sent == [], "\(way.name) through the machine of the list")
      print(
        "\(way.name): \(count) statements; \(remote.count) remote ones in \(begun) transactions")
    }
    let store = try PostgresStore(
      address: cluster.coordinator.address(), schema: there.schema, createsMissing: false)
    _ = try await store.dataVersion()
    let polled = try await sent(by: cluster.coordinator, of: there.schema) {
      _ = try await store.dataVersion()
    }
    #expect(polled.count == 4, "one query for each shard: \(polled)")
    #expect(Double(polled.count) / (store.pollingInterval / .seconds(1)) <= 10)
  }

  /// The coordinator reports an error, though its worker has committed.
  @Test(arguments: [CuttingProxy.Act.cutBefore, .cutAfter])
  func commitWhoseAnswerIsLostBetweenMachinesIsMadeOnceAndReported(
    _ act: CuttingProxy.Act
  ) async throws {
    let cluster = try CitusCluster("lost-\(act)", workerCount: 1)
    let test = try PostgresTest("lost", on: cluster.coordinator, shardCount: 2)
    try await test.commit("a")
    let wasCut = Mutex(false)
    let proxy = try CuttingProxy(of: cluster.workers[0]) { direction, message in
      guard direction == .toServer, message.first == UInt8(ascii: "Q"),
        message.firstRange(of: Array("COMMIT".utf8)) != nil
      else { return .pass }
      return wasCut.withLock { wasCut in
        defer { wasCut = true }
        return wasCut ? .pass : act
      }
    }
    try cluster.coordinator.sql(
      """
      SELECT citus_update_node(nodeid, nodename, \(proxy.port)) FROM pg_dist_node
      WHERE shouldhaveshards
      """)
    let service = try service(of: test, at: cluster.coordinator)
    let outcome = try await service.commit(
      CommitRequest(list: .parks, snapshot: .of("a", "b")))
    #expect(wasCut.withLock { $0 })
    #expect(outcome.state.cursor?.version == Version(2))
    #expect(try await service.log(of: .parks).count == 2)
  }

  @Test func commitThatAWorkerCouldNotEndIsNotReportedAsKept() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("ends", on: cluster.coordinator, shardCount: 2)
    try await test.commit("a")
    let schema = "\"\(test.schema)\""
    for worker in cluster.workers {
      try worker.sql(
        """
        SET citus.enable_manual_changes_to_shards = on; SET citus.enable_ddl_propagation = off;
        SET citus.override_table_visibility = off;
        CREATE FUNCTION \(schema).refuses() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION ''this machine cannot commit''; END';
        DO $$ DECLARE shard text; BEGIN
          FOR shard IN SELECT format('%I.%I', nspname, relname) FROM pg_class
            JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = '\(test.schema)' AND relname ~ '^versions_\\d+$' AND relkind = 'r'
          LOOP
            EXECUTE 'CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON ' || shard
              || ' DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(schema).refuses()';
          END LOOP;
        END $$
        """)
    }
    await #expect(throws: StoreError.self) { try await test.commit("a", "b") }
    let other = try service(of: test, at: cluster.workers[0])
    #expect(try await other.log(of: .parks).count == 1)
    for worker in cluster.workers {
      try worker.sql(
        """
        SET citus.enable_manual_changes_to_shards = on; SET citus.enable_ddl_propagation = off;
        DROP FUNCTION \(schema).refuses CASCADE
        """)
    }
    #expect(try await test.commit("a", "b").state.cursor?.version == Version(2))
    #expect(try await other.verify(depth: .everything).faults == [])
  }

  // MARK: Several nodes at once

  @Test func tokensMadeThroughSeveralNodesAtOnceAreAllThere() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("tokens", on: cluster.coordinator, shardCount: 4)
    let services = try cluster.nodes.map { try service(of: test, at: $0) }
    let made = await withTaskGroup(of: TokenName?.self) { group in
      for number in 0..<15 {
        group.addTask {
          let name = TokenName("token\(number)")!
          let token = try? await services[number % 3].makeToken(
            named: name, grants: [AccessGrant(.read, ListPattern("*")!)])
          return token.map { _ in name }
        }
      }
      return await group.reduce(into: Set<TokenName>()) { if let name = $1 { $0.insert(name) } }
    }
    for service in services {
      let found = try await service.tokens().map(\.name)
      #expect(Set(found) == made && found.count == made.count)
    }
    #expect(made.count > 4, "of 15 tokens, \(made.count) were made")
  }

  private final class Outcome: Sendable {
    let error = Mutex<StoreError?>(nil)
  }

  @Test func writerAtAnotherNodeWaitsNoLongerThanItSays() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("waits", on: cluster.coordinator, shardCount: 4)
    try await test.commit("a")
    let other = try service(of: test, at: cluster.workers[0], waiting: 0.5)
    let outcome = Outcome()
    let waited = try await test.store.write { writer in
      _ = try writer.lockedList(.parks)
      let start = ContinuousClock.now
      Task {
        let request = CommitRequest(list: .parks, snapshot: try .of("b"))
        do {
          _ = try await other.commit(request)
        } catch {
          outcome.error.withLock { $0 = error as? StoreError }
        }
      }
      while outcome.error.withLock({ $0 == nil }), ContinuousClock.now - start < .seconds(30) {
        Thread.sleep(forTimeInterval: 0.05)
      }
      return ContinuousClock.now - start
    }
    #expect(outcome.error.withLock { $0 } == .busy)
    #expect(waited < .seconds(20))
    #expect(try await test.service.log(of: .parks).count == 1)
  }

  @Test func readersSeeNoDamageWhileListsComeAndGo() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("churn", on: cluster.coordinator, shardCount: 4)
    try await test.commit("a", "b")
    let services = try cluster.nodes.map { try service(of: test, at: $0) }
    let churn = Task {
      for number in 0..<40 {
        let service = services[number % 3]
        let (name, next) = (ListName("list\(number)")!, ListName("next\(number)")!)
        _ = try await service.commit(CommitRequest(list: name, snapshot: .of("a")))
        _ = try await service.rename(DepartureRequest(list: name), to: next)
        if number % 2 == 0 { _ = try await service.drop(DepartureRequest(list: next)) }
      }
    }
    var count = 0
    let readers = services.map { service in
      Task {
        var count = 0
        while !Task.isCancelled {
          _ = try await service.lists()
          _ = try await service.snapshot(of: .parks)
          #expect(try await service.verify().faults == [])
          count += 1
        }
        return count
      }
    }
    try await churn.value
    for reader in readers {
      reader.cancel()
      do { count += try await reader.value } catch is CancellationError {}
    }
    #expect(count > 3)
    #expect(try await services[1].lists().count == 21)
  }

  @Test func commitThroughAServerAtOneNodeEndsTheWaitAtAnother() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("servers", on: cluster.coordinator, shardCount: 4)
    try await test.commit("a")
    let programs = try cluster.workers.map {
      try ServerProgram(["--schema", test.schema], store: $0.address())
    }
    var addresses: [String] = []
    for program in programs {
      addresses.append("http://\(try await program.address().split(separator: "/").last ?? "")")
    }
    let cursor = try #require(try await test.service.state(of: ListRevision(.parks)).cursor)
    let path = "/v1/lists/parks/delta?since=\(cursor)&wait=30"
    let wait = Task { [addresses] in
      try PostgresServer.run(["curl", "-s", "--max-time", "40", "\(addresses[1])\(path)"])
    }
    try await Task.sleep(for: .milliseconds(500))
    let answer = try PostgresServer.run([
      "curl", "-s", "-i", "--max-time", "30", "-X", "PUT", "-H", "If-Match: \"\(cursor)\"",
      "-H", "Content-Type: application/json", "-d", #"{"id":"b"}"#,
      "\(addresses[0])/v1/lists/parks/items/b",
    ])
    #expect(answer.contains(" 201 ") || answer.contains(" 200 "), "\(answer)")
    let delta = try await wait.value
    #expect(delta.contains(#""inserted":["#) && delta.contains(#""id":"b""#), "\(delta)")
    for program in programs {
      program.signal(SIGTERM)
      #expect(try await program.end() == 0)
    }
  }

  /// A list may move to another machine between two statements.
  @Test func damageIsBelievedIfItStays() async throws {
    let cluster = try Self.own.get()
    let distributed = try PostgresTest("believed", on: cluster.coordinator, shardCount: 2)
    let single = try PostgresTest("single", on: cluster.coordinator)
    let damages: [any Error] = [
      StoreError.corrupt(reason: "a row"),
      ServiceError.broken(list: .parks, version: Version(1), reason: "its root"),
    ]
    /// How often a reading is made that finds damage so many times.
    func readings(of store: PostgresStore, _ damage: any Error, _ count: Int) async throws -> Int {
      let read = Atomic(0)
      do {
        try await store.read { _ in
          if read.add(1, ordering: .relaxed).newValue <= count { throw damage }
        }
      } catch {
        #expect("\(error)" == "\(damage)" && count >= read.load(ordering: .relaxed))
      }
      return read.load(ordering: .relaxed)
    }
    for damage in damages {
      #expect(try await readings(of: distributed.store, damage, 1) == 2)
      #expect(try await readings(of: distributed.store, damage, 9) == 4)
      #expect(try await readings(of: single.store, damage, 9) == 1)
    }
    let refusal = ServiceError.noSuchList(.parks)
    #expect(try await readings(of: distributed.store, refusal, 9) == 1)
  }

  @Test func boardAtAnotherNodeShowsEachCommit() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("boards", on: cluster.coordinator, shardCount: 4)
    let headCaches = try cluster.nodes.map { HeadCache(service: try service(of: test, at: $0)) }
    for headCache in headCaches { try await headCache.refresh() }
    for round in 0..<4 {
      for (number, node) in cluster.nodes.enumerated() {
        let service = try service(of: test, at: node)
        _ = try await service.commit(
          CommitRequest(list: ListName("list\(number)")!, snapshot: .of("a=\(round)")))
      }
      let heads = try await test.service.lists()
      for headCache in headCaches {
        try await headCache.refresh()
        #expect(headCache.heads() == heads)
      }
    }
    let run = Task { try await headCaches[2].run() }
    defer { run.cancel() }
    let list = ListName("list0")!
    let cursor = try #require(headCaches[2].head(of: list)?.head.cursor)
    let wait = Task {
      await headCaches[2].wait(for: list, otherThan: cursor, timeout: Hang.duration)
    }
    _ = try await test.service.commit(CommitRequest(list: list, snapshot: .of("z")))
    #expect(try await ended("the wait", wait)?.head.cursor?.version == Version(5))
  }
}
