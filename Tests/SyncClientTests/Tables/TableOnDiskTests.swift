import Foundation
import GRDB
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

/// An app's database on disk, with a rollback journal and in WAL mode.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableOnDiskTests {
  @Test(arguments: ["delete", "wal"])
  func copyAndEditsGoOnAfterTheDatabaseWasClosed(mode: String) async throws {
    var random = SeededRandom.forThisRun()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("app.db").path
    var server = ModelServer()
    server.commit(.numbered(300))
    let transport = FakeTransport(server)
    var (saved, shown) = (ListState.zero, [Item]())
    for run in 0..<6 {
      let fixture = try TableFixture(path: path, isWAL: mode == "wal")
      let found = try await fixture.writer.read {
        try String.fetchOne($0, sql: "PRAGMA journal_mode")
      }
      #expect(found == mode)
      let replica = fixture.replica(transport)
      await replica.pause()
      try await replica.start()
      #expect(await replica.state == saved)
      #expect(try fixture.items() == shown)
      let requestCount = await transport.requests.count
      let news = await transport.server.head.snapshot.changed(5, new: "v\(run)", using: &random)
      await transport.change { if news != $0.head.snapshot { $0.commit(news) } }
      await replica.resume()
      try await fixture.settle(replica)
      let requests = await transport.requests.dropFirst(requestCount)
      #expect(run == 0 || requests.allSatisfy { $0.purpose != .startOver && $0.since != .zero })
      let head = await transport.server.head
      #expect(await replica.state == head.state)
      #expect(try fixture.items() == head.snapshot.items)
      try fixture.check("run \(run)")
      // The edit stays in the file until the next run.
      await replica.pause()
      try await fixture.writer.write { db in
        try replica.edit(db, [.put(ModelServer.item("mine\(run)"), .first)])
        try db.execute(sql: "UPDATE parks SET favourite = 1 WHERE id = 'mine\(run)'")
      }
      (saved, shown) = (await replica.state, try fixture.items())
      #expect(shown.first?.id == ItemID("mine\(run)"))
      await replica.stop()
      try await replica.settle()
      try fixture.writer.close()
    }
    let last = try TableFixture(path: path, isWAL: mode == "wal")
    let favourites = try await last.writer.read {
      try String.fetchAll($0, sql: "SELECT id FROM parks WHERE favourite ORDER BY id")
    }
    // Others may have removed an edited item.
    #expect(favourites == shown.map(\.id.text).filter { $0.hasPrefix("mine") }.sorted())
    #expect(favourites.contains("mine5"))
  }

  /// With a rollback journal nobody can write while another program reads.
  @Test func replicaGoesOnWhenTheOtherProgramHasRead() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("app.db").path
    var server = ModelServer()
    server.commit(["a", "b"])
    let transport = FakeTransport(server)
    let fixture = try TableFixture(path: path, isWAL: false)
    let replica = fixture.replica(transport)
    try await replica.start()
    try await replica.settle()
    let before = try fixture.dump("parks")
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN; SELECT * FROM parks")
    }
    await transport.change { $0.commit(["c", "b=1"]) }
    await replica.resume()
    let error = await #expect(throws: ReplicaError.self) { try await replica.settle() }
    guard case .notSaved(_, .otherProgram)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(try fixture.dump("parks") == before)
    try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    await replica.resume()
    try await replica.settle()
    let head = await transport.server.head
    #expect(try fixture.items() == head.snapshot.items)
    try fixture.check()
    await replica.stop()
  }
}
