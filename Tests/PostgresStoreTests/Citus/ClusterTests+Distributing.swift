import Foundation
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import PostgresStore

/// How a store comes into a cluster, and out of it.
extension ClusterTests {
  @Test func distributedStoreAnswersAsBefore() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("fills", on: cluster.coordinator)
    var random = SeededRandom.forThisRun()
    try await PostgresTest.fill(test.service, &random)
    let before = try await StoreAnswers(of: test.service)
    let address = cluster.coordinator.address()
    let first = try PostgresStore.distribute(address: address, schema: test.schema)
    #expect(first.shardCount == 8 && first.machines.count == 2 && !first.wasThere)
    let second = try PostgresStore.distribute(address: address, schema: test.schema)
    #expect(second.shardCount == 8 && second.wasThere)
    for (number, node) in cluster.nodes.enumerated() {
      let service = try service(of: test, at: node)
      if number == 0 { #expect(try await StoreAnswers(of: service) == before) }
      #expect(try await service.verify(depth: .everything).faults == [])
      let lists = try await service.lists()
      _ = try await service.commit(CommitRequest(list: .films, snapshot: .of("a=\(number)")))
      #expect(try await service.lists() != lists)
      #expect(try await service.size(of: nil).byteCount > 0)
    }
    let rows = try cluster.coordinator.sql("SELECT count(*) FROM \"\(test.schema)\".change_log")
    #expect(Int(rows[0]) ?? 0 > 20, "the view shows the rows of all machines")
  }

  @Test func dumpIsRestoredOnOneServerAndInTheCluster() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("dumped", on: cluster.coordinator, shardCount: 4)
    var random = SeededRandom.forThisRun()
    try await PostgresTest.fill(test.service, &random)
    let answers = try await StoreAnswers(of: test.service)
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("lists.dump").path
    try PostgresServer.run([
      "pg_dump", "-h", cluster.coordinator.folder, "-U", "store", "-d", "postgres", "-Fc",
      "--schema", "\"\(test.schema)\"", "-f", file,
    ])
    // It has no extension.
    let server = try PostgresServer("restored")
    try PostgresServer.run([
      "pg_restore", "-h", server.folder, "-U", "store", "-d", "postgres", file,
    ])
    let store = try PostgresStore(
      address: server.address(), schema: test.schema, createsMissing: false)
    let restored = SyncService(store: store) { TestStore.noon }
    #expect(try await StoreAnswers(of: restored) == answers)
    #expect(try await restored.verify(depth: .everything).faults == [])
    let mark = try await store.dataVersion()
    for list in [ListName.films, ListName("rivers")!] {
      let outcome = try await restored.commit(CommitRequest(list: list, snapshot: .of("a", "b")))
      #expect(outcome.state.cursor != nil)
    }
    #expect(try await store.dataVersion() != mark)
    #expect(try await restored.verify(depth: .everything).faults == [])

    // In its cluster, it is distributed again.
    let coordinator = cluster.coordinator
    try coordinator.sql("DROP SCHEMA \"\(test.schema)\" CASCADE")
    try PostgresServer.run(
      ["pg_restore", "-h", coordinator.folder, "-U", "store", "-d", "postgres", file])
    let outcome = try PostgresStore.distribute(
      address: coordinator.address(), schema: test.schema, shardCount: 8)
    #expect(outcome.shardCount == 8 && !outcome.wasThere)
    for (number, node) in cluster.nodes.enumerated() {
      let service = try service(of: test, at: node)
      if number == 0 { #expect(try await StoreAnswers(of: service) == answers) }
      #expect(try await service.verify(depth: .everything).faults == [])
      _ = try await service.commit(CommitRequest(list: .films, snapshot: .of("a=\(number)")))
    }
  }

  @Test func whatCannotBeDistributedIsRefused() throws {
    let cluster = try Self.own.get()
    let server = cluster.coordinator
    func expectRefusal(_ reason: String, database: String = "postgres", schema: String) {
      let error = #expect(throws: DistributionRefusal.self) {
        try PostgresStore.distribute(address: server.address(database: database), schema: schema)
      }
      #expect(error?.reason.contains(reason) == true && error?.remedy.isEmpty == false)
    }
    try server.sql("CREATE DATABASE bare")
    expectRefusal("does not have the extension", database: "bare", schema: "listsync")

    let whole = try PostgresTest("whole", on: server)
    try server.sql("SELECT citus_schema_distribute('\"\(whole.schema)\"')")
    expectRefusal("as a whole", schema: whole.schema)

    let other = try PostgresTest("other", on: server)
    try server.sql(
      "SELECT create_distributed_table('\"\(other.schema)\".segments', 'first_change')")
    expectRefusal("is not distributed as it should be", schema: other.schema)

    let unsafe = try PostgresTest("unsafe", on: server)
    try cluster.workers[1].sql("ALTER SYSTEM SET synchronous_commit = off")
    try cluster.workers[1].sql("SELECT pg_reload_conf()")
    defer {
      _ = try? cluster.workers[1].sql("ALTER SYSTEM RESET synchronous_commit")
      _ = try? cluster.workers[1].sql("SELECT pg_reload_conf()")
    }
    expectRefusal("synchronous_commit is off", schema: unsafe.schema)
  }

  /// The simple way for many tenants: a store is one schema, which lies on one worker.
  @Test func schemaOnOneWorkerIsAWholeStore() async throws {
    let cluster = try Self.own.get()
    let test = try PostgresTest("tenant", on: cluster.coordinator)
    var random = SeededRandom.forThisRun()
    try await PostgresTest.fill(test.service, &random)
    let before = try await StoreAnswers(of: test.service)
    try cluster.coordinator.sql("SELECT citus_schema_distribute('\"\(test.schema)\"')")
    let service = try service(of: test, at: cluster.coordinator)
    #expect(try await StoreAnswers(of: service) == before)
    _ = try await service.commit(CommitRequest(list: .films, snapshot: .of("a")))
    #expect(try await service.verify(depth: .everything).faults == [])
  }

  @Test func splitShardGetsABucketOfItsOwn() async throws {
    let cluster = try Self.own.get()
    let server = cluster.coordinator
    let test = try PostgresTest("split", on: server, shardCount: 2)
    try await test.commit("a")
    try server.sql(
      """
      SELECT citus_split_shard_by_split_points(shardid, ARRAY['-1000000000'], (
        SELECT array_agg(nodeid::int) FROM pg_dist_node WHERE shouldhaveshards), 'block_writes')
      FROM pg_dist_shard WHERE logicalrelid = '"\(test.schema)".lists'::regclass
        AND shardminvalue::bigint < -1000000000
      """)
    try await test.commit("a", "b")
    let now = try PostgresStore.distribute(address: server.address(), schema: test.schema)
    #expect(now.shardCount == 3 && now.wasThere)
    let service = try service(of: test, at: server)
    for number in 0..<8 {
      _ = try await service.commit(
        CommitRequest(list: ListName("list\(number)")!, snapshot: .of("a")))
    }
    #expect(try await service.verify(depth: .everything).faults == [])
  }
}
