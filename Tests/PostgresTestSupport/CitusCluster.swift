import Foundation
import Synchronization

/// A cluster of the tests: a coordinator and workers, each a server in a folder of its own.
package final class CitusCluster: Sendable {
  package let coordinator: PostgresServer
  package let workers: [PostgresServer]

  /// Whether all stores of the tests are distributed: `make test-citus` demands it.
  package static let isUsed = ProcessInfo.processInfo.environment["LISTSYNC_TEST_CITUS"] != nil

  /// Whether the server of this machine has the extension.
  package static let isHere = PostgresServer.has(extension: "citus")

  /// The cluster of this process; or why there is none.
  package static let shared = Result { try CitusCluster("shared") }

  package init(_ name: String, workerCount: Int = 2, loading libraries: String = "citus") throws {
    coordinator = try PostgresServer(name, loading: libraries)
    workers = try (1...workerCount).map { number in
      try PostgresServer("\(name)-\(number)", loading: libraries)
    }
    for server in nodes { try server.sql("CREATE EXTENSION citus") }
    try coordinator.sql(
      "SELECT citus_set_coordinator_host('\(coordinator.folder)', \(PostgresServer.port))")
    for worker in workers { try add(worker) }
  }

  /// Makes a server a worker.
  package func add(_ worker: PostgresServer) throws {
    try coordinator.sql("SELECT citus_add_node('\(worker.folder)', \(PostgresServer.port))")
  }

  package var nodes: [PostgresServer] { [coordinator] + workers }

  /// What a node needs beside the settings of all servers. Nodes find each other by their sockets.
  static func settings(_ folder: String) -> String {
    """
    -c max_prepared_transactions=500 -c max_worker_processes=40 -c wal_level=logical \
    -c citus.node_conninfo=sslmode=disable -c citus.local_hostname=\(folder)
    """
  }

  private static let nextNode = Atomic(0)

  /// An address, perhaps of another node of the same cluster: of each one in turn.
  package static func atAnyNode(_ address: String) -> String {
    guard isUsed, let host = address.firstMatch(of: #/host=(/[^&,]+-shared)&port=5432/#)?.1 else {
      return address
    }
    let folders = ["", "-1", "-2"].map { "\(host)\($0)" }
    let number = nextNode.add(1, ordering: .relaxed).oldValue
    return address.replacing("host=\(host)&", with: "host=\(folders[number % folders.count])&")
  }
}
