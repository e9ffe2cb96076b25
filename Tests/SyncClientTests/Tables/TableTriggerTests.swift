import Foundation
import GRDB
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

/// Triggers of the app on its table.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableTriggerTests {
  /// A table for searches, a column of the app, and a count of the calls.
  private static let triggers = """
    CREATE TABLE found (id TEXT PRIMARY KEY, content BLOB NOT NULL);
    INSERT INTO found SELECT id, content FROM parks;
    CREATE TABLE calls (kind TEXT PRIMARY KEY, count INTEGER NOT NULL);
    INSERT INTO calls VALUES ('insert', 0), ('content', 0), ('place', 0), ('delete', 0);
    CREATE TRIGGER inserted AFTER INSERT ON parks BEGIN
      INSERT INTO found VALUES (NEW.id, NEW.content);
      UPDATE calls SET count = count + 1 WHERE kind = 'insert';
    END;
    CREATE TRIGGER updated AFTER UPDATE OF content ON parks BEGIN
      UPDATE found SET content = NEW.content WHERE id = NEW.id;
      UPDATE parks SET favourite = favourite + 1 WHERE id = NEW.id OR id = 'i1';
      UPDATE calls SET count = count + 1 WHERE kind = 'content';
    END;
    CREATE TRIGGER moved AFTER UPDATE OF place ON parks BEGIN
      UPDATE calls SET count = count + 1 WHERE kind = 'place';
    END;
    CREATE TRIGGER deleted AFTER DELETE ON parks BEGIN
      DELETE FROM found WHERE id = OLD.id;
      UPDATE calls SET count = count + 1 WHERE kind = 'delete';
    END;
    """

  @Test func triggersFireForEachChangeOfTheReplica() async throws {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    server.commit(.numbered(120))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    let revision = try await fixture.writer.write { db in
      try db.execute(sql: Self.triggers)
      return try replica.revision(db)
    }
    var reader = replica.updates(after: revision).makeAsyncIterator()
    var calls = try await Self.calls(fixture.writer)
    for version in 0..<25 {
      if version.isMultiple(of: 5) {
        let first = try #require(try fixture.items().first).id
        try await fixture.writer.write { db in
          try replica.edit(
            db, [.put(ModelServer.item("mine\(version)"), .first), .move(first, .last)])
        }
      } else {
        let new = await transport.server.head.snapshot.changed(
          4, new: "v\(version)", using: &random
        )
        if await transport.server.head.snapshot == new { continue }
        await transport.change { $0.commit(new) }
      }
      await replica.resume()
      try await fixture.settle(replica)
      try fixture.check("version \(version)")
      let items = try fixture.items()
      #expect(items == (await transport.server.head.snapshot.items))
      let found = try fixture.writer.read { db in
        try Row.fetchAll(db, sql: "SELECT id, content FROM found")
      }
      let contents: [String: Data] = Dictionary(
        uniqueKeysWithValues: found.map { ($0["id"], $0["content"]) })
      #expect(
        contents
          == Dictionary(
            uniqueKeysWithValues: items.map { ($0.id.text, Data($0.content.bytes)) }))
      let changes = try #require(await reader.next()?.changes)
      let new = try await Self.calls(fixture.writer)
      let fired = new.merging(calls) { $0 - $1 }
      calls = new
      #expect(fired["insert"] == changes.inserted.count)
      #expect(fired["content"] == changes.updated.count)
      #expect(fired["delete"] == changes.removed.count)
      // Rows are seldom spread, which gives places to further rows.
      #expect(fired["place"]! >= changes.moved.count)
    }
    await replica.stop()
  }

  private static func calls(_ writer: any DatabaseWriter) async throws -> [String: Int] {
    try await writer.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT kind, count FROM calls")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0["kind"], $0["count"]) })
    }
  }

  /// The list after which the trigger refuses the last write: a removed, a new and a moved row
  /// are written before.
  private static func news(_ snapshot: Snapshot) -> Snapshot {
    var items = snapshot.items
    items.remove(at: 10)
    items.insert(ModelServer.item("new"), at: 30)
    items.insert(items.remove(at: 100), at: 0)
    let index = items.firstIndex { $0.id == "i150" }!
    items[index] = ModelServer.item("i150=1")
    return Snapshot(uniqueItems: items)
  }

  /// A replica of 200 items, whose app has a trigger on the content of one.
  private static func follow(
    _ trigger: String, _ time: String, raising act: String
  ) async throws -> (ModelServer, FakeTransport, TableFixture, TableReplica) {
    var server = ModelServer()
    server.commit(.numbered(200))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    try await fixture.writer.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER \(trigger) \(time) UPDATE OF content ON parks WHEN NEW.id = 'i150'
          BEGIN SELECT RAISE(\(act)); END
          """)
    }
    return (server, transport, fixture, replica)
  }

  @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"])
  func triggerThatRefusesUndoesTheWholeUpdate(kind: String) async throws {
    let (server, transport, fixture, replica) = try await Self.follow(
      "refuse", "AFTER", raising: "\(kind), 'i150 is locked'")
    let before = try fixture.dump("parks")
    let new = Self.news(server.head.snapshot)
    await transport.change { $0.commit(new) }
    for _ in 0..<2 {
      await replica.resume()
      await #expect(
        throws: ReplicaError.notSaved(reason: "parks: i150 is locked (SQLite code 1811)")
      ) {
        try await replica.settle()
      }
      #expect(try fixture.dump("parks") == before)
      #expect(await replica.state == server.head.state)
    }
    try await fixture.writer.write { try $0.execute(sql: "DROP TRIGGER refuse") }
    await replica.resume()
    try await replica.settle()
    #expect(await replica.state == transport.server.head.state)
    #expect(try fixture.items() == new.items)
    try fixture.check()
    await replica.stop()
  }

  /// The app's transaction goes on without the edits, if the app catches the error.
  @Test func triggerThatRefusesAnEditUndoesTheEditsAlone() async throws {
    let (server, transport, fixture, replica) = try await Self.follow(
      "refuse", "AFTER", raising: "ABORT, 'i150 is locked'")
    let before = try fixture.dump()
    try await fixture.writer.write { db in
      try db.execute(sql: "UPDATE parks SET favourite = 1 WHERE id = 'i3'")
      #expect(throws: DatabaseError.self) {
        try replica.edit(
          db, [.remove("i10"), .move("i20", .first), .put(ModelServer.item("i150=1"), nil)])
      }
      try replica.edit(db, [.put(ModelServer.item("mine"), .first)])
    }
    await replica.resume()
    try await fixture.settle(replica)
    let items = [ModelServer.item("mine")] + server.head.snapshot.items
    #expect(await transport.server.head.snapshot.items == items)
    #expect(try fixture.items() == items)
    #expect(try fixture.dump() != before)
    let favourites = try await fixture.writer.read {
      try String.fetchAll($0, sql: "SELECT id FROM parks WHERE favourite")
    }
    #expect(favourites == ["i3"])
    try fixture.check()
    await replica.stop()
  }

  @Test func writeThatATriggerSkipsIsFound() async throws {
    let (server, transport, fixture, replica) = try await Self.follow(
      "skip", "BEFORE", raising: "IGNORE")
    let before = try fixture.dump("parks")
    let new = Self.news(server.head.snapshot)
    await transport.change { $0.commit(new) }
    await replica.resume()
    let error = await #expect(throws: ReplicaError.self) { try await replica.settle() }
    guard case .changedRows("parks", ["i150"], _)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(try fixture.dump("parks") == before)
    try await fixture.writer.write { try $0.execute(sql: "DROP TRIGGER skip") }
    await replica.resume()
    try await replica.settle()
    #expect(try fixture.items() == new.items)
    await replica.stop()
  }
}
