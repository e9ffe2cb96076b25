import GRDB
import GRDBReplica
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// Several lists of a server in one database.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TablesOfAServerTests {
  private static let names = ["parks", "films", "trees"].map { ListName($0)! }

  @Test func tablesShareOneWaitingRequestAndEachHasItsChanges() async throws {
    let transport = ManyLists()
    let server = ReplicaServer(
      at: try ServerAddress("http://localhost"), over: transport, clock: .immediate)
    let writer = try DatabaseQueue()
    var replicas: [TableReplica] = []
    for name in Self.names {
      try await writer.write { db in
        try db.execute(
          sql: "CREATE TABLE \(name) (id TEXT UNIQUE, place INTEGER NOT NULL, content BLOB)")
      }
      await transport.commit(name, "\(name)", "x=1")
      replicas.append(
        TableReplica(of: name, from: server, in: writer, table: ItemTable(name.text)))
      try await replicas[replicas.count - 1].start()
    }
    for number in 0..<12 {
      try await eventually("all wait by one request") {
        guard await transport.waitingCount == 1 else { return false }
        return await server.waitingCount == replicas.count
      }
      let before = (
        await transport.deltaCounts, await transport.changeRequests.count,
        try await Self.revisions(writer)
      )
      let index = number % 3
      await transport.commit(Self.names[index], "new\(number)", "\(Self.names[index])=\(number)")
      let state = try #require(await transport.head(of: Self.names[index])?.state)
      try await eventually("the table has the change") { await replicas[index].state == state }
      for (name, replica) in zip(Self.names, replicas) {
        let head = try #require(await transport.head(of: name))
        #expect(await replica.state == head.state)
        let ids = try await writer.read {
          try String.fetchAll($0, sql: "SELECT id FROM \(name) ORDER BY place")
        }
        #expect(ids == head.snapshot.items.map(\.id.text))
      }
      // The others were neither asked for nor written.
      let after = try await Self.revisions(writer)
      for (name, old) in before.2 {
        #expect(after[name] == old + (name == Self.names[index].text ? 1 : 0))
      }
      let counts = await transport.deltaCounts
      for name in Self.names {
        #expect(counts[name]! - before.0[name]! == (name == Self.names[index] ? 1 : 0))
      }
      #expect(await transport.changeRequests.count <= before.1 + 1)
    }
    for replica in replicas { await replica.stop() }
  }

  /// The number of changes of each table.
  private static func revisions(_ writer: any DatabaseWriter) async throws -> [String: Int] {
    try await writer.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT items, revision FROM listsync_copies")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0["items"], $0["revision"]) })
    }
  }
}
