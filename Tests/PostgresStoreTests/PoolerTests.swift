import Foundation
import ListModel
import LocalFiles
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Connections through pgbouncer.
@Suite(
  .needsPostgreSQL, .onOneServer, .enabled(if: Pooler.isHere, "pgbouncer is not on this machine"))
struct PoolerTests {
  @Test(arguments: ["session", "transaction"])
  func historyIsTheSameThroughAPooler(mode: String) async throws {
    let test = try PostgresTest("pooler")
    let pooler = try Pooler(mode, of: test.server)
    defer { pooler.stop() }
    try await eventually("it listens") { pooler.isListening }
    let store = try PostgresStore(
      address: pooler.address, schema: PostgresServer.name("pooled"), createsMissing: true)
    let pooled = SyncService(store: store) { TestStore.noon }
    for service in [test.service, pooled] {
      var random = SeededRandom(seed: 5)
      try await PostgresTest.fill(service, &random)
    }
    let heads = try await test.service.lists().map(\.head)
    #expect(try await pooled.lists().map(\.head) == heads)
    #expect(try await pooled.verify(depth: .everything).faults.isEmpty)
    try await withThrowingTaskGroup { group in
      for number in 0..<12 {
        let snapshot = try Snapshot.of("a", "b=\(number)")
        group.addTask { try await pooled.commit(CommitRequest(list: .parks, snapshot: snapshot)) }
      }
      try await group.waitForAll()
    }
    #expect(try await pooled.log(of: .parks).count > 20)
  }
}

/// pgbouncer in front of a server.
final class Pooler: Sendable {
  private let folder: String
  private let process: Process
  let address: String

  static let program = [
    "/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }
  static var isHere: Bool { program != nil }

  init(_ mode: String, of server: PostgresServer) throws {
    folder = "\(server.folder)-\(mode)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let settings = """
      [databases]
      postgres = host=\(server.folder) port=5432 dbname=postgres user=store

      [pgbouncer]
      unix_socket_dir = \(folder)
      listen_port = 6432
      auth_type = any
      pool_mode = \(mode)
      default_pool_size = \(mode == "session" ? 20 : 3)
      """
    let file = "\(folder)/pgbouncer.ini"
    try Data(settings.utf8).write(to: URL(fileURLWithPath: file))
    if getuid() == 0 { try PostgresServer.run(["chown", "-R", "postgres", folder]) }
    process = PostgresServer.process(
      server.asServerUser + [try #require(Self.program), "-q", file])
    try process.start()
    address = "postgresql://store@/postgres?host=\(folder)&port=6432"
  }

  /// Its socket is there before anybody can connect.
  var isListening: Bool {
    (try? PostgresServer.run(["psql", "-X", "-d", address, "-c", "SELECT"])) != nil
  }

  func stop() {
    // It outlives a termination.
    kill(process.processIdentifier, SIGKILL)
    try? FileManager.default.removeItem(atPath: folder)
  }
}
