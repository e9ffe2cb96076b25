import Foundation
import GRDB
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableDamageTests {
  @Test(arguments: [
    ("UPDATE parks SET content = '{}' WHERE id = 'i5'", ["i5"]),
    ("UPDATE parks SET id = 'x' WHERE id = 'i5'", ["x"]),
    ("DELETE FROM parks WHERE id = 'i6'", []),
    ("INSERT INTO parks SELECT 'y', place + 1, content, 0 FROM parks WHERE id = 'i5'", ["y"]),
    ("UPDATE parks SET place = place + 5000000 WHERE id = 'i5'", []),
  ])
  func rowsThatTheAppChangedAreNamedAtTheNextUpdate(sql: String, ids: [String]) async throws {
    var server = ModelServer()
    server.commit(.numbered(20))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    try await fixture.writer.write { try $0.execute(sql: sql) }
    let changed = try fixture.items()
    await transport.change { $0.commit(["i4", "i5", "i6"]) }
    await replica.resume()
    let error = await #expect(throws: ReplicaError.self) { try await replica.settle() }
    guard case .changedRows("parks", let found, let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found.map(\.text) == ids, "\(reason)")
    // Nothing was repaired in silence.
    #expect(try fixture.items() == changed)
    await replica.stop()
    try await fixture.writer.write { try TableReplica.removeCopy($0, of: TableFixture.table) }
    let next = fixture.replica(transport)
    try await next.start()
    try await next.settle()
    #expect(try await fixture.items() == transport.server.head.snapshot.items)
    try fixture.check()
    await next.stop()
  }

  /// A row of the table takes the id of the server's first item.
  @Test func rowInTheTableOfAnEmptyListIsNamed() async throws {
    var server = ModelServer()
    for ids in [["a"], []] { server.commit(ids) }
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    try await fixture.writer.write {
      try $0.execute(sql: "INSERT INTO parks VALUES ('b', 1, '{}', 0)")
    }
    await transport.change { $0.commit(["b"]) }
    await replica.resume()
    let error = await #expect(throws: ReplicaError.self) { try await replica.settle() }
    guard case .changedRows("parks", ["b"], _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await replica.stop()
  }

  /// The rows keep their order.
  @Test(arguments: [
    ("place = 9223372036854775807 WHERE id = 'i19'", "i19"),
    ("place = -9223372036854775808 WHERE id = 'i0'", "i0"),
    ("place = (SELECT place FROM parks WHERE id = 'i4') WHERE id = 'i5'", "i5"),
  ])
  func placesWithoutRoomAreNamed(sql: String, id: String) async throws {
    var server = ModelServer()
    server.commit(.numbered(20))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    try await fixture.writer.write { try $0.execute(sql: "UPDATE parks SET \(sql)") }
    await transport.change { server in
      var items = server.head.snapshot.items
      items.insert(ModelServer.item("middle"), at: 5)
      server.commit(
        Snapshot(uniqueItems: [ModelServer.item("first")] + items + [ModelServer.item("last")]))
    }
    await replica.resume()
    let error = await #expect(throws: ReplicaError.self) { try await replica.settle() }
    guard case .changedRows("parks", [ItemID(id)], _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await replica.stop()
  }

  /// A group is read while a transaction, before which the reader waits, takes over the rows.
  @Test func rowsAreReadWhileTheyAreWritten() async throws {
    var server = ModelServer()
    server.commit(.numbered(3000))
    let (_, fixture, replica) = try await TableFixture.follow(server)
    let writer = fixture.writer
    let state = try await writer.read {
      try CopyState.read($0, TableFixture.source, TableFixture.table).over(.reader(writer))
    }
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      try? writer.write { db in
        begun.signal()
        Thread.sleep(forTimeInterval: 0.3)
        _ = state.over(.transaction(db))
      }
      ended.signal()
    }
    Thread.detachNewThread {
      begun.wait()
      _ = try? state.rows.groups(from: 0)
      ended.signal()
    }
    let haveEnded = await withCheckedContinuation { (caller: CheckedContinuation<Bool, Never>) in
      Thread.detachNewThread {
        let results = (0..<2).map { _ in ended.wait(timeout: .now() + 30) }
        caller.resume(returning: results.allSatisfy { $0 == .success })
      }
    }
    #expect(haveEnded)
    await replica.stop()
  }

  @Test func ownColumnsOfTheAppStay() async throws {
    var server = ModelServer()
    server.commit(["a", "b"])
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    try await fixture.writer.write { try $0.execute(sql: "UPDATE parks SET favourite = 1") }
    await transport.change { $0.commit(["b=2", "c", "a"]) }
    await replica.resume()
    try await replica.settle()
    let columns = try await fixture.writer.read {
      try Int.fetchAll($0, sql: "SELECT favourite FROM parks ORDER BY place")
    }
    #expect(columns == [1, 0, 1])
    await replica.stop()
  }

  @Test func otherTablesAreRefused() async throws {
    let fixture = try TableFixture()
    let transport = FakeTransport(ModelServer())
    func start(_ list: ListName, _ table: String) async throws {
      let replica = TableReplica(
        of: list, server: TableFixture.source.server, from: ServerOrigin(transport: transport),
        in: fixture.writer, table: ItemTable(table))
      await replica.pause()
      try await replica.start()
    }
    try await fixture.writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE foreign_items (id TEXT, place INTEGER, content BLOB);
          INSERT INTO foreign_items VALUES ('a', 1, '{}');
          CREATE TABLE without_place (id TEXT, content BLOB)
          """)
    }
    await #expect(throws: ReplicaError.self) { try await start(ModelServer.list, "foreign_items") }
    await #expect(throws: ReplicaError.self) { try await start(ModelServer.list, "without_place") }
    await #expect(throws: ReplicaError.self) { try await start(ModelServer.list, "absent") }
    try await start(ModelServer.list, "parks")
    let other = try #require(ListName("other"))
    await #expect(
      throws: ReplicaError.otherSource(
        path: "parks", found: "parks at https://lists.example",
        expected: "other at https://lists.example")
    ) { try await start(other, "parks") }
  }

  @Test func editsOfUnknownItemsChangeNothing() async throws {
    var server = ModelServer()
    server.commit(["a", "b"])
    let fixture = try TableFixture()
    let replica = fixture.replica(FakeTransport(server))
    try await replica.start()
    try await replica.settle()
    for edit in [Edit.remove("x"), .move("x", .first), .move("a", .after("x"))] {
      await #expect(throws: EditError.notAList(reason: "there is no item 'x'")) {
        try await fixture.writer.write { try replica.edit($0, [.move("b", .first), edit]) }
      }
    }
    #expect(try fixture.items() == server.head.snapshot.items)
    #expect(await replica.editState == .none)
    await replica.stop()
  }

  /// SQLite's texts may hold U+0000.
  @Test func idsMayHaveAnyCharacter() async throws {
    let ids = ["a\u{0}b", "a", "'\"", "e\u{301}", "\u{e9}"]
    var server = ModelServer()
    let items = try ids.map { Item(id: ItemID($0), content: try Content(json: "{}")) }
    server.commit(Snapshot(uniqueItems: items))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    #expect(try fixture.items() == items)
    await transport.change { $0.commit(Snapshot(uniqueItems: items.reversed())) }
    await replica.resume()
    try await replica.settle()
    #expect(try fixture.items() == items.reversed())
    try fixture.check()
    await replica.stop()
  }
}
