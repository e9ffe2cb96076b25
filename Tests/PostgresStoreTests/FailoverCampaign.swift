import Foundation
import ListModel
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// The primary is killed while it commits, and its synchronous standby takes its place.
@Suite(.needsPostgreSQL, .onOneServer) struct FailoverCampaign {
  private static let lists = ["shared", "a", "b"].map { ListName($0)! }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func acknowledgedVersionSurvivesTheDeathOfThePrimaryAndNoneExistsTwice() async throws {
    let campaign = Campaign("failover")
    var random = campaign.random()
    var primary = try PostgresServer("primary")
    var standby = try PostgresServer("standby", of: primary)
    let schema = PostgresServer.name("failover")
    let hosts = "\(primary.folder),\(standby.folder)"
    let store = try PostgresStore(
      address: """
        postgresql://store@/postgres?host=\(hosts)&port=5432,5432&target_session_attrs=read-write\
        &connect_timeout=5
        """,
      schema: schema, createsMissing: true)
    let writers = Writers(SyncService(store: store) { TestStore.noon })
    for list in Self.lists {
      _ = try await writers.service.commit(CommitRequest(list: list, snapshot: .of("a")))
    }
    let failoverCount = campaign.rounds(2, long: 100)
    for _ in 0..<failoverCount {
      // Two writers compete for one list.
      let tasks = (Self.lists + [Self.lists[0]]).map { list in
        Task { try await writers.write(to: list) }
      }
      try await Task.sleep(for: .milliseconds(.random(in: 50...500, using: &random)))
      let before = writers.tally
      try await onThread { [primary, standby] in
        try primary.kill()
        try standby.promote()
      }
      try await eventually("the writers go on") {
        Set(writers.tally.kept.dropFirst(before.kept.count).map(\.list)) == Set(Self.lists)
      }
      writers.stop()
      for task in tasks { try await task.value }
      try await onThread { [primary] in try primary.start() }
      try await check(before, at: primary, schema: schema)
      try await check(writers.tally, at: standby, schema: schema)
      swap(&primary, &standby)
      try await onThread { [primary, standby] in try standby.follow(primary) }
    }
    #expect(try await writers.service.verify(depth: .everything).faults.isEmpty)
    campaign.report(
      """
      \(failoverCount) failovers, \(writers.tally.kept.count) commits kept, \
      \(writers.tally.refused.count) refused
      """)
  }

  private func check(_ tally: Writers.Tally, at server: PostgresServer, schema: String) async throws
  {
    let store = try PostgresStore(
      address: server.address(), schema: schema, createsMissing: false)
    try await tally.check(Self.lists, of: SyncService(store: store) { TestStore.noon })
  }
}
