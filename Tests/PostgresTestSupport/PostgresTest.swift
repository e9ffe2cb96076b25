import Foundation
import ListModel
import PostgresStore
import StoreTestSupport
import SyncService
import TestSupport

/// A store in a schema of its own.
package struct PostgresTest {
  package let server: PostgresServer
  package let schema: String
  package let store: PostgresStore
  package let service: SyncService

  /// - Parameters:
  ///   - purpose: a part of the schema's name.
  ///   - server: one of the test's own; nil for that of all tests.
  ///   - database: the database.
  ///   - shardCount: in how many shards the store is distributed over the server's cluster; nil for
  ///     a store on one server, unless the server of all tests is a cluster.
  package init(
    _ purpose: String, on server: PostgresServer? = nil, database: String = "postgres",
    shardCount: Int? = nil
  ) throws {
    self.server = try server ?? PostgresServer.shared.get()
    schema = PostgresServer.name(purpose)
    let address = self.server.address(database: database)
    let isInCluster = CitusCluster.isUsed && server == nil && database == "postgres"
    if let shardCount = shardCount ?? (isInCluster ? 4 : nil) {
      _ = try PostgresStore.distribute(address: address, schema: schema, shardCount: shardCount)
    }
    store = try PostgresStore(
      address: address, schema: schema, createsMissing: true)
    service = SyncService(store: store) { TestStore.noon }
  }

  /// Another process's view of the same store.
  package func other(
    user: String = "store", port: Int = PostgresServer.port, _ parameters: String = "",
    createsMissing isCreated: Bool = false,
    busyTimeoutSeconds: TimeInterval = PostgresStore.busyTimeoutSeconds
  ) throws -> SyncService {
    let store = try PostgresStore(
      address: CitusCluster.atAnyNode(server.address(user: user, port: port, parameters)),
      schema: schema, createsMissing: isCreated, busyTimeoutSeconds: busyTimeoutSeconds)
    return SyncService(store: store) { TestStore.noon }
  }

  @discardableResult
  package func commit(_ texts: String...) async throws -> CommitOutcome {
    try await service.commit(CommitRequest(list: .parks, snapshot: .of(texts)))
  }

  /// A history with all kinds of rows: changed and moved items, tags, kept changes, a title, a
  /// pruned list, a dropped one.
  package static func fill(_ service: SyncService, _ random: inout SeededRandom) async throws {
    for list in [ListName.parks, .films] {
      var items = ["a", "é", "e\u{301}"] + (0..<40).map { "i\($0)" }
      for round in 0..<12 {
        items.swapAt(.random(in: 0..<40, using: &random), .random(in: 0..<40, using: &random))
        items[.random(in: 0..<40, using: &random)] = "n\(list)\(round)=\(round)"
        var request = CommitRequest(list: list, snapshot: try Snapshot.of(items))
        request.message = "round \(round)"
        _ = try await service.commit(request)
      }
      _ = try await service.delta(of: list, since: .version(Version(1)))
    }
    _ = try await service.tag(TagName("spring")!, of: .films, at: .version(Version(9)))
    _ = try await service.prune(
      PruneRequest(list: .films, rule: RetentionRule(keepLast: 5)!))
  }
}
