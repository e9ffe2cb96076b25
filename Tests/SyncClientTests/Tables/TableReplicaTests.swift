import Foundation
import GRDB
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableReplicaTests {
  @Test(arguments: [0, 1, 40, 3000])
  func rowsAreTheListAfterEachVersion(count: Int) async throws {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    server.commit(.numbered(count))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    for version in 0..<30 {
      let new = await transport.server.head.snapshot.changed(
        [1, 3, 20][version % 3], new: "v\(version)", using: &random)
      await transport.change { $0.commit(new) }
      await replica.resume()
      try await replica.settle()
      #expect(try fixture.items() == new.items)
      try fixture.check("version \(version)")
    }
    #expect(await replica.state == transport.server.head.state)
    await replica.stop()
  }

  @Test func appsEditsAndThoseOfOthersMeetInTheRows() async throws {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    server.commit(.numbered(200))
    let transport = FakeTransport(server)
    let fixture = try TableFixture()
    var replica = fixture.replica(transport)
    try await replica.start()
    try await replica.settle()
    for round in 0..<40 {
      if random.chance(3) { await replica.pause() }
      // Others edit items with an even number, the app those with an odd one.
      let others = await transport.server.head.snapshot.items
      let other = others[Int.random(in: others.indices, using: &random)]
      if other.id.text.last?.wholeNumberValue?.isMultiple(of: 2) == true {
        let new = Snapshot(
          uniqueItems: others.map { $0 == other ? ModelServer.item("\($0.id)=\(round)") : $0 })
        await transport.change { if new != $0.head.snapshot { $0.commit(new) } }
      }
      let shown = try fixture.items().map(\.id).filter {
        $0.text.last?.wholeNumberValue?.isMultiple(of: 2) == false
      }
      let id = shown[Int.random(in: shown.indices, using: &random)]
      let edits: [Edit] = [
        [.put(ModelServer.item("\(id)=\(1000 + round)"), nil)],
        [.put(ModelServer.item("new\(round)1"), .after(id))],
        [.move(id, .first)], [.remove(id), .put(ModelServer.item("new\(round)3"), .last)],
      ][Int.random(in: 0..<4, using: &random)]
      let replicaNow = replica
      try await fixture.writer.write { db in try replicaNow.edit(db, edits) }
      try fixture.check("round \(round)")
      if random.chance(4) {
        // The app ends and begins again.
        await replica.stop()
        replica = fixture.replica(transport)
        try await replica.start()
      }
    }
    await replica.resume()
    for await state in replica.editStates where state == .none { break }
    try await replica.settle()
    try fixture.check()
    let head = await transport.server.head
    #expect(try fixture.items() == head.snapshot.items)
    #expect(await replica.state == head.state)
    await replica.stop()
  }
}

extension TableReplicaTests {
  /// Lost and damaged answers, pages, pruned versions and restored backups.
  @Test func tableFollowsThroughFaults() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<8 {
      var server = ModelServer()
      server.commit(.numbered(60))
      let transport = FakeTransport(server)
      let fixture = try TableFixture()
      let log = UpdateLog()
      let storage = TableStorage(
        fixture.writer, TableFixture.source, TableFixture.table, log)
      var options = ReplicaMachine.Options(list: ModelServer.list)
      (options.watches, options.changeLimit) = (false, 1)
      let session = ReplicaSession(
        options, transport: transport, storage: storage, clock: .immediate)
      try await session.start()
      try await session.settle()
      for version in 0..<12 {
        let count = Int.random(in: 1...4, using: &random)
        var snapshots = [await transport.server.head.snapshot]
        for step in 0..<count {
          snapshots.append(
            snapshots[step].changed(2, new: "v\(version).\(step)", using: &random))
        }
        let (new, isRestored, isPruned) = (
          zip(snapshots, snapshots.dropFirst()).filter { $0 != $1 }.map(\.1), random.chance(5),
          random.chance(5)
        )
        await transport.change { server in
          if isRestored { server = server.restored(to: server.history.count - 1) }
          for snapshot in new { server.commit(snapshot) }
          if isPruned { server.oldest = server.history.count - 1 }
        }
        await transport.failByChance(oneIn: 4, random)
        await session.resume()
        for _ in 0..<10 {
          do {
            try await session.settle()
            break
          } catch is ReplicaError {
            await transport.failNoMore()
            await session.resume()
          }
        }
        let head = await transport.server.head
        #expect(await session.copy.state == head.state)
        #expect(try fixture.items() == head.snapshot.items)
        try fixture.check("version \(version)")
      }
      await session.stop()
    }
  }

  @Test func severalTablesOfADatabaseFollowOnTheirOwn() async throws {
    var server = ModelServer()
    server.commit(["a", "b"])
    let transport = FakeTransport(server)
    let fixture = try TableFixture()
    try await fixture.writer.write { db in
      try db.execute(
        sql: "CREATE TABLE other (id TEXT UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL)")
    }
    let replicas = ["parks", "other"].map { table in
      TableReplica(
        of: ModelServer.list, server: TableFixture.source.server,
        from: ServerOrigin(transport: transport), in: fixture.writer, table: ItemTable(table),
        watches: false, clock: .immediate)
    }
    for replica in replicas {
      try await replica.start()
      try await replica.settle()
    }
    await transport.change { $0.commit(["c", "b"]) }
    await replicas[1].resume()
    try await replicas[1].settle()
    for (table, ids) in [("parks", ["a", "b"]), ("other", ["c", "b"])] {
      let found = try await fixture.writer.read { db in
        try String.fetchAll(db, sql: "SELECT id FROM \(table) ORDER BY place")
      }
      #expect(found == ids)
    }
    for replica in replicas { await replica.stop() }
  }

  /// As an app and its extension have.
  @Test func twoReplicasOfOneTableTakeTurns() async throws {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    server.commit(.numbered(50))
    let transport = FakeTransport(server)
    let fixture = try TableFixture()
    let replicas = [fixture.replica(transport), fixture.replica(transport)]
    for replica in replicas {
      try await replica.start()
      try await replica.settle()
    }
    for version in 0..<20 {
      let new = await transport.server.head.snapshot.changed(3, new: "v\(version)", using: &random)
      await transport.change { if $0.head.snapshot != new { $0.commit(new) } }
      let editor = replicas[version % 2]
      try await fixture.writer.write { db in
        try editor.edit(db, [.put(ModelServer.item("mine\(version)"), .first)])
      }
      for replica in replicas { await replica.resume() }
      for replica in replicas { try await replica.settle() }
      try fixture.check("version \(version)")
    }
    for replica in replicas {
      await replica.resume()
      try await replica.settle()
    }
    let head = await transport.server.head
    for replica in replicas { #expect(await replica.state == head.state) }
    #expect(try fixture.items() == head.snapshot.items)
    for number in 0..<20 {
      let id = ItemID("mine\(number)")
      let has = await transport.server.history.map { $0.snapshot.items.contains { $0.id == id } }
      #expect(zip(has, has.dropFirst()).count { !$0 && $1 } == 1, "edit \(number)")
    }
    for replica in replicas { await replica.stop() }
  }

  @Test func nothingIsEditedBeforeTheFirstCopy() async throws {
    let fixture = try TableFixture()
    let replica = fixture.replica(FakeTransport(ModelServer()))
    for isStarted in [false, true] {
      if isStarted {
        await replica.pause()
        try await replica.start()
      }
      await #expect(throws: EditError.notEditable) {
        try await fixture.writer.write {
          try replica.edit($0, [.put(ModelServer.item("a"), nil)])
        }
      }
    }
    await replica.stop()
  }
}

/// A storage before whose saves the app edits the rows.
private struct EditedStorage: RowStorage {
  let storage: TableStorage
  let edit: @Sendable () async throws -> Void

  func load() async throws(ReplicaError) -> ListCopy { try await storage.load() }

  func loadRows() async throws(ReplicaError) -> ListCopy { try await storage.loadRows() }

  func edits() async -> EditQueue { await storage.edits() }

  func save(_ step: ReplicaStep?, _ edits: EditQueue?) async throws(ReplicaError) {
    try await storage.save(step, edits)
  }

  func saveRows(_ step: ReplicaStep?, _ edits: EditQueue?) async throws -> ListCopy {
    if step != nil { try await edit() }
    return try await storage.saveRows(step, edits)
  }

  func reload() async throws -> (ListCopy, EditQueue) { try await storage.reload() }
}

extension TableReplicaTests {
  /// The save then begins again over the edited rows. The halves of the list change places: the way
  /// back moves the other half, whose ids are read.
  @Test func appEditsBetweenAnAnswerAndItsSave() async throws {
    var server = ModelServer()
    server.commit(.numbered(400))
    let transport = FakeTransport(server)
    let fixture = try TableFixture()
    let app = fixture.replica(transport)
    let numbers = Numbers()
    let storage = EditedStorage(
      storage: TableStorage(fixture.writer, TableFixture.source, TableFixture.table, UpdateLog())
    ) {
      guard let number = await numbers.take() else { return }
      try await fixture.writer.write { db in
        let id = ItemID("i\(number % 40)")
        try app.edit(db, [.move(id, .first), .put(ModelServer.item("mine\(number)"), .last)])
      }
    }
    var options = ReplicaMachine.Options(list: ModelServer.list)
    options.watches = false
    let session = ReplicaSession(options, transport: transport, storage: storage, clock: .immediate)
    try await session.start()
    try await session.settle()
    for version in 0..<10 {
      let items = await transport.server.head.snapshot.items
      let middle = items.count / 2
      await transport.change {
        $0.commit(Snapshot(uniqueItems: Array(items[middle...] + items[..<middle])))
      }
      await numbers.give()
      await session.resume()
      try await session.settle()
      try fixture.check("version \(version)")
    }
    await session.rowsAreEdited()
    await session.resume()
    for await state in session.editStates where state == .none { break }
    try await session.settle()
    let head = await transport.server.head
    #expect(await session.copy.state == head.state)
    #expect(try fixture.items() == head.snapshot.items)
    #expect(await numbers.last == 10)
    await session.stop()
  }
}

/// One number at a time.
private actor Numbers {
  private(set) var last = 0
  private var isThere = false

  func give() { isThere = true }

  func take() -> Int? {
    guard isThere else { return nil }
    (isThere, last) = (false, last + 1)
    return last
  }
}
