import Foundation
import GRDB
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

/// Apps that change their database in other ways than by `edit`: the replica goes on, or ends with
/// an error that names the cause.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableCarelessAppTests {
  private static func follow() async throws -> (
    transport: FakeTransport, fixture: TableFixture, replica: TableReplica
  ) {
    var server = ModelServer()
    server.commit(.numbered(100))
    return try await TableFixture.follow(server)
  }

  /// Follows a version that changes an item, and gives the error.
  private func news(
    _ transport: FakeTransport, _ replica: TableReplica, value: Int = 1
  ) async throws -> ReplicaError? {
    await transport.change { server in
      server.commit(
        Snapshot(
          uniqueItems: server.head.snapshot.items.map {
            $0.id == "i50" ? ModelServer.item("i50=\(value)") : $0
          }))
    }
    await replica.resume()
    do {
      try await replica.settle()
      #expect(await replica.state == transport.server.head.state)
      return nil
    } catch let error as ReplicaError {
      return error
    }
  }

  @Test(arguments: [
    "CREATE TABLE other (n); INSERT INTO other VALUES (1); REINDEX; ANALYZE",
    "ALTER TABLE parks ADD COLUMN note TEXT",
    "DROP INDEX parks_by_place",
    "ALTER TABLE parks RENAME COLUMN favourite TO star",
    // The rows get other numbers.
    "CREATE TABLE copy AS SELECT * FROM parks ORDER BY id; DELETE FROM parks; "
      + "INSERT INTO parks SELECT * FROM copy; DROP TABLE copy",
  ])
  func otherWorkOnTheDatabaseDisturbsNothing(sql: String) async throws {
    let (transport, fixture, replica) = try await Self.follow()
    try await fixture.writer.write { try $0.execute(sql: sql) }
    try await fixture.writer.writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
    #expect(try await news(transport, replica) == nil)
    try await fixture.writer.write { try replica.edit($0, [.move("i7", .last)]) }
    try await fixture.settle(replica)
    let head = await transport.server.head
    #expect(head.snapshot.items.last?.id == "i7")
    #expect(try fixture.items() == head.snapshot.items)
    try fixture.check()
    await replica.stop()
  }

  @Test(arguments: [
    (
      "ALTER TABLE parks RENAME TO gardens", "ALTER TABLE gardens RENAME TO parks",
      "no such table: parks"
    ),
    (
      "ALTER TABLE parks RENAME COLUMN content TO json",
      "ALTER TABLE parks RENAME COLUMN json TO content", "no such column: content"
    ),
    (
      "CREATE TABLE kept AS SELECT * FROM listsync_groups; DELETE FROM listsync_groups",
      "INSERT INTO listsync_groups SELECT * FROM kept", "listsync_groups is damaged"
    ),
    (
      "ALTER TABLE listsync_groups RENAME TO kept", "ALTER TABLE kept RENAME TO listsync_groups",
      "no such table: listsync_groups"
    ),
    (
      "CREATE TABLE kept AS SELECT * FROM listsync_copies; DELETE FROM listsync_copies",
      "INSERT INTO listsync_copies SELECT * FROM kept", "its row in listsync_copies is missing"
    ),
    (
      "ALTER TABLE listsync_copies RENAME TO kept", "ALTER TABLE kept RENAME TO listsync_copies",
      "no such table: listsync_copies"
    ),
    ("UPDATE listsync_copies SET revision = 77", "UPDATE listsync_copies SET revision = 1", nil),
  ])
  func changeOfTheTablesIsAnErrorUntilItIsUndone(
    sql: String, undoing: String, reason: String?
  ) async throws {
    let (transport, fixture, replica) = try await Self.follow()
    try await fixture.writer.write { try $0.execute(sql: sql) }
    let error = try await news(transport, replica)
    if let reason {
      #expect(error?.description.contains(reason) == true, "\(error as Any)")
    } else {
      #expect(error == nil)
    }
    // An edit finds the same, and changes nothing.
    if reason != nil {
      await #expect(throws: (any Error).self) {
        try await fixture.writer.write { try replica.edit($0, [.remove("i7")]) }
      }
      try await fixture.writer.write { try $0.execute(sql: undoing) }
    }
    #expect(try await news(transport, replica, value: 2) == nil)
    #expect(try fixture.items() == (await transport.server.head.snapshot.items))
    try fixture.check()
    await replica.stop()
  }

  @Test func renamedTableGoesOnUnderItsNewName() async throws {
    let (transport, fixture, replica) = try await Self.follow()
    await replica.stop()
    try await fixture.writer.write { db in
      try db.execute(
        sql: """
          ALTER TABLE parks RENAME TO gardens;
          UPDATE listsync_copies SET items = 'gardens' WHERE items = 'parks'
          """)
    }
    let later = TableReplica(
      of: ModelServer.list, server: TableFixture.source.server,
      from: ServerOrigin(transport: transport), in: fixture.writer, table: ItemTable("gardens"),
      watches: false, clock: .immediate)
    try await later.start()
    #expect(await later.state == transport.server.head.state)
    #expect(try await news(transport, later) == nil)
    let ids = try await fixture.writer.read {
      try String.fetchAll($0, sql: "SELECT id FROM gardens ORDER BY place")
    }
    #expect(ids == (await transport.server.head.snapshot.items.map(\.id.text)))
    await later.stop()
  }

  @Test func rowThatTheAppWritesBesideAnEditIsNamed() async throws {
    let (transport, fixture, replica) = try await Self.follow()
    let before = try fixture.dump("parks")
    let error = await #expect(throws: ReplicaError.self) {
      try await fixture.writer.write { db in
        try db.execute(sql: "UPDATE parks SET content = '{}' WHERE id = 'i5'")
        try replica.edit(db, [.put(ModelServer.item("mine"), .after("i5"))])
      }
    }
    if case .changedRows("parks", ["i5"], _)? = error {} else { Issue.record("\(error as Any)") }
    #expect(try fixture.dump("parks") == before)
    // After the edit it is found by the next reading of these rows.
    try await fixture.writer.write { db in
      try replica.edit(db, [.put(ModelServer.item("mine"), .after("i5"))])
      try db.execute(sql: "UPDATE parks SET content = '{}' WHERE id = 'i5'")
    }
    let later = await #expect(throws: ReplicaError.self) {
      try await fixture.writer.write { try replica.edit($0, [.move("i5", .first)]) }
    }
    if case .changedRows("parks", ["i5"], _)? = later {} else { Issue.record("\(later as Any)") }
    _ = transport
    await replica.stop()
  }

  /// The changes of an update are those of the rows, whatever the app takes back.
  @Test func editsThatTheAppRollsBackAreInNoUpdate() async throws {
    struct Change: Error {}
    let (_, fixture, replica) = try await Self.follow()
    await replica.pause()
    var shown = try fixture.items()
    let revision = try await fixture.writer.read { try replica.revision($0) }
    var reader = replica.updates(after: revision).makeAsyncIterator()
    await #expect(throws: Change.self) {
      try await fixture.writer.write { db in
        try replica.edit(db, [.put(ModelServer.item("gone1"), .first)])
        throw Change()
      }
    }
    try await fixture.writer.write { db in
      try db.inSavepoint {
        try replica.edit(db, [.put(ModelServer.item("gone2"), .first)])
        return .rollback
      }
    }
    try await fixture.writer.write { db in
      try replica.edit(db, [.put(ModelServer.item("mine1"), .first)])
      try db.inSavepoint {
        try replica.edit(db, [.put(ModelServer.item("gone3"), .first), .remove("i3")])
        return .rollback
      }
      try replica.edit(db, [.put(ModelServer.item("mine2"), .last)])
      try db.inSavepoint {
        try replica.edit(db, [.put(ModelServer.item("gone4"), .first)])
        return .rollback
      }
    }
    let newest = try await fixture.writer.read { try replica.revision($0) }
    #expect(newest == revision + 2)
    var reached = revision
    while reached < newest {
      let update = try #require(await reader.next())
      shown = try shown.applying(try #require(update.changes))
      reached = update.revision
    }
    #expect(shown.map(\.id).filter { $0.text.hasPrefix("gone") }.isEmpty)
    #expect(shown == (try fixture.items()))
    await replica.stop()
  }

  @Test(arguments: [
    "id TEXT NOT NULL PRIMARY KEY, place INTEGER NOT NULL, content BLOB NOT NULL) WITHOUT ROWID",
    "id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL) STRICT",
    "content TEXT, place INTEGER, id TEXT COLLATE BINARY UNIQUE, n INTEGER PRIMARY KEY)",
  ])
  func otherKindsOfTablesServeAsWell(columns: String) async throws {
    var random = SeededRandom.forThisRun()
    let fixture = try TableFixture()
    try await fixture.writer.write { db in
      try db.execute(sql: "DROP TABLE parks; CREATE TABLE parks (\(columns)")
    }
    var server = ModelServer()
    server.commit(.numbered(100))
    let transport = FakeTransport(server)
    let replica = fixture.replica(transport)
    try await replica.start()
    for version in 0..<8 {
      try await replica.settle()
      #expect(try fixture.items() == (await transport.server.head.snapshot.items))
      let new = await transport.server.head.snapshot.changed(6, new: "v\(version)", using: &random)
      await transport.change { if $0.head.snapshot != new { $0.commit(new) } }
      await replica.resume()
    }
    await replica.stop()
  }

  @Test func rowsThatTheAppRefersToAreNotRemoved() async throws {
    let (transport, fixture, replica) = try await Self.follow()
    try await fixture.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE visits (park TEXT REFERENCES parks (id) DEFERRABLE INITIALLY DEFERRED);
          INSERT INTO visits VALUES ('i9')
          """)
    }
    let before = try fixture.dump("parks")
    await transport.change { server in
      server.commit(Snapshot(uniqueItems: server.head.snapshot.items.filter { $0.id != "i9" }))
    }
    await replica.resume()
    let error = await #expect(throws: ReplicaError.self) { try await replica.settle() }
    #expect(error?.description.contains("FOREIGN KEY") == true, "\(error as Any)")
    #expect(try fixture.dump("parks") == before)
    try await fixture.writer.write { try $0.execute(sql: "DELETE FROM visits") }
    #expect(try await news(transport, replica) == nil)
    #expect(try fixture.items() == (await transport.server.head.snapshot.items))
    await replica.stop()
  }

  /// GRDB itself ends a program that reads a closed `DatabaseQueue`.
  @Test func closedPoolIsAnError() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try TableFixture(path: folder.appendingPathComponent("app.db").path)
    var server = ModelServer()
    server.commit(.numbered(100))
    let transport = FakeTransport(server)
    let replica = fixture.replica(transport)
    try await replica.start()
    try await replica.settle()
    try fixture.writer.close()
    let error = try await news(transport, replica)
    if case .notSaved? = error {} else { Issue.record("\(error as Any)") }
    await replica.stop()
  }

  /// As two processes have, which know nothing of each other.
  @Test(arguments: [false, true])
  func twoConnectionsEditOneTable(isWAL: Bool) async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("app.db").path
    var server = ModelServer()
    server.commit(.numbered(60))
    let transport = FakeTransport(server)
    let fixtures = try (0..<2).map { _ in
      try TableFixture(path: path, isWAL: isWAL, busyMode: .timeout(Hang.seconds))
    }
    let replicas = fixtures.map { $0.replica(transport) }
    for replica in replicas {
      try await replica.start()
      try await replica.settle()
    }
    for round in 0..<12 {
      let (fixture, replica) = (fixtures[round % 2], replicas[round % 2])
      try await fixture.writer.write { db in
        try replica.edit(
          db, [.put(ModelServer.item("mine\(round)"), .first), .move(ItemID("i\(round)"), .last)])
      }
      for replica in replicas {
        await replica.resume()
        try await replica.settle()
      }
      try fixtures[0].check("round \(round)")
    }
    for (fixture, replica) in zip(fixtures, replicas) {
      await replica.resume()
      try await fixture.settle(replica)
    }
    let head = await transport.server.head
    for fixture in fixtures { #expect(try fixture.items() == head.snapshot.items) }
    #expect(
      (0..<12).allSatisfy { number in
        head.snapshot.items.contains { $0.id == ItemID("mine\(number)") }
      })
    for replica in replicas { await replica.stop() }
  }
}
