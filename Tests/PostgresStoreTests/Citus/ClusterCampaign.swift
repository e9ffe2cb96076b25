import ListModel
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Writers commit through a cluster while its machines die, are replaced, and come.
@Suite(.needsCitus, .serialized, .timeLimit(.minutes(Hang.minutes))) struct ClusterCampaign {
  private static let lists = (0..<6).map { ListName("list\($0)")! }

  /// A store with some lists on each worker, and its writers.
  private func writers(
    _ purpose: String, on cluster: CitusCluster
  ) async throws -> (writers: Writers, schema: String) {
    let test = try PostgresTest(purpose, on: cluster.coordinator, shardCount: 8)
    let service = SyncService(
      store: try PostgresStore(
        address: cluster.coordinator.address(), schema: test.schema, createsMissing: false)
    ) { TestStore.noon }
    for list in Self.lists {
      _ = try await service.commit(CommitRequest(list: list, snapshot: .of("a")))
    }
    return (Writers(service), test.schema)
  }

  /// The lists on a machine.
  private func lists(
    on worker: PostgresServer, of schema: String, _ cluster: CitusCluster
  ) throws -> Set<ListName> {
    let names = try cluster.coordinator.sql(
      """
      SELECT convert_from(name, 'UTF8') FROM "\(schema)".names JOIN pg_dist_shard ON shardid =
        get_shard_id_for_distribution_column('"\(schema)".lists', list_id)
      JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
      WHERE nodename = '\(worker.folder)'
      """)
    return Set(names.compactMap { ListName($0) })
  }

  private func expectProgress(
    _ writers: Writers, of lists: Set<ListName>, since before: Writers.Tally
  ) async throws {
    try await eventually("the writers of \(lists.map(\.text).sorted()) go on") {
      lists.isSubset(of: writers.tally.kept.dropFirst(before.kept.count).map(\.list))
    }
  }

  private func end(_ tasks: [Task<Void, any Error>], of writers: Writers) async throws {
    writers.stop()
    for task in tasks { try await task.value }
    try await writers.tally.check(Self.lists, of: writers.service)
    #expect(try await writers.service.verify(depth: .everything).faults == [])
  }

  @Test func deadWorkerStopsItsOwnListsAloneAndLosesNoVersion() async throws {
    let campaign = Campaign("dead worker")
    var random = campaign.random()
    let cluster = try CitusCluster("dead")
    let (writers, schema) = try await writers("dead", on: cluster)
    let tasks = Self.lists.map { list in Task { try await writers.write(to: list) } }
    let roundCount = campaign.rounds(3, long: 40)
    for round in 0..<roundCount {
      let worker = cluster.workers[round % 2]
      let held = try lists(on: worker, of: schema, cluster)
      try await Task.sleep(for: .milliseconds(.random(in: 50...500, using: &random)))
      try await onThread { try worker.kill() }
      try await expectProgress(
        writers, of: Set(Self.lists).subtracting(held), since: writers.tally)
      try await onThread { try worker.start() }
      try await expectProgress(writers, of: Set(Self.lists), since: writers.tally)
    }
    try await end(tasks, of: writers)
    campaign.report(
      """
      \(roundCount) deaths, \(writers.tally.kept.count) commits kept, \
      \(writers.tally.refused.count) refused
      """)
  }

  @Test func standbyTakesThePlaceOfADeadWorker() async throws {
    let campaign = Campaign("worker failover")
    var random = campaign.random()
    let cluster = try CitusCluster("fail")
    let (writers, schema) = try await writers("fail", on: cluster)
    var primary = cluster.workers[0]
    var standby = try PostgresServer("fail-standby", of: primary)
    let held = try lists(on: primary, of: schema, cluster)
    let roundCount = campaign.rounds(2, long: 30)
    for _ in 0..<roundCount {
      let tasks = Self.lists.map { list in Task { try await writers.write(to: list) } }
      try await Task.sleep(for: .milliseconds(.random(in: 50...500, using: &random)))
      let before = writers.tally
      try await onThread { [primary, standby] in
        try primary.kill()
        try standby.promote()
        try cluster.coordinator.sql(
          """
          SELECT citus_update_node(nodeid, '\(standby.folder)', nodeport, force => true,
            lock_cooldown => 100) FROM pg_dist_node WHERE nodename = '\(primary.folder)'
          """)
      }
      try await expectProgress(writers, of: Set(Self.lists), since: before)
      try await end(tasks, of: writers)
      swap(&primary, &standby)
      try await onThread { [primary, standby] in try standby.follow(primary) }
    }
    #expect(try lists(on: primary, of: schema, cluster) == held)
    campaign.report(
      """
      \(roundCount) failovers, \(writers.tally.kept.count) commits kept, \
      \(writers.tally.refused.count) refused
      """)
  }

  @Test func listsMoveToANewWorkerWhileReadersAndWritersWork() async throws {
    let cluster = try CitusCluster("moves")
    let (writers, schema) = try await writers("moves", on: cluster)
    let added = try PostgresServer("moves-3", loading: "citus")
    try added.sql("CREATE EXTENSION citus")
    let tasks = Self.lists.map { list in Task { try await writers.write(to: list) } }
    let readers = try cluster.nodes.map { node in
      let service = SyncService(
        store: try PostgresStore(address: node.address(), schema: schema, createsMissing: false)
      ) { TestStore.noon }
      return Task {
        var count = 0
        while !Task.isCancelled {
          for list in Self.lists {
            let base = try await service.snapshot(of: list).snapshot.items.count
            #expect(base >= 1)
          }
          count += 1
        }
        return count
      }
    }
    try await onThread {
      try cluster.add(added)
      try cluster.coordinator.sql(
        """
        SELECT rebalance_table_shards('"\(schema)".lists', shard_transfer_mode => 'force_logical')
        """
      )
    }
    let moved = try cluster.coordinator.sql(
      """
      SELECT count(*) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
      JOIN pg_dist_node USING (groupid)
      WHERE nodename = '\(added.folder)' AND logicalrelid = '"\(schema)".lists'::regclass
      """)
    #expect(Int(moved[0]) ?? 0 >= 2, "shards on the new worker")
    try await expectProgress(writers, of: Set(Self.lists), since: writers.tally)
    for reader in readers {
      reader.cancel()
      do { #expect(try await reader.value > 0) } catch is CancellationError {}
    }
    try await end(tasks, of: writers)
  }
}
