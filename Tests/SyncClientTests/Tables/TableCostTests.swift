import Foundation
import GRDB
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

@Suite(.timeLimit(.minutes(Hang.minutes))) struct TableCostTests {
  /// Follows one version, and counts.
  private static func cost(
    of changes: (inout [Item]) -> Void, count: Int
  ) async throws -> (rowsWritten: Int, groupsRead: Int) {
    var server = ModelServer()
    server.commit(.numbered(count))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    var items = server.head.snapshot.items
    changes(&items)
    let new = Snapshot(uniqueItems: items)
    await transport.change { $0.commit(new) }
    let before = try await fixture.writer.read { $0.totalChangesCount }
    let reads = fixture.readGroupCount
    await replica.resume()
    try await replica.settle()
    #expect(await replica.state == transport.server.head.state)
    let after = try await fixture.writer.read { $0.totalChangesCount }
    return (after - before, fixture.readGroupCount - reads)
  }

  @Test func tenChangesWriteTheirRowsAndGroups() async throws {
    let count = 12_000
    let apart = try await Self.cost(
      of: { items in
        for number in 0..<10 {
          let index = number * count / 10 + 17
          items[index] = ModelServer.item("\(items[index].id)=1")
        }
      }, count: count)
    // Ten rows, the ten groups of a thousand rows, and the row of the copy; of each group of 33
    // rows and of the next one, if the change is at its end, all rows are read.
    #expect(apart.rowsWritten <= 24 && apart.groupsRead <= 20, "\(apart)")
    let together = try await Self.cost(
      of: { items in
        for index in 700..<710 { items[index] = ModelServer.item("\(items[index].id)=1") }
      }, count: count)
    #expect(together.rowsWritten <= 14 && together.groupsRead <= 4, "\(together)")
    let kinds = try await Self.cost(
      of: { items in
        let moved = items.remove(at: 3000)
        items.insert(moved, at: 6000)
        items.insert(ModelServer.item("new"), at: 8000)
        items.remove(at: 10_000)
      }, count: count)
    #expect(kinds.rowsWritten <= 12 && kinds.groupsRead <= 24, "\(kinds)")
  }

  /// A statement that reads a whole table costs the list, however few rows it gives.
  @Test func noStatementOfAnUpdateScansATable() async throws {
    var server = ModelServer()
    server.commit(.numbered(3_000))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    let known = fixture.statements.all.count
    var random = SeededRandom.forThisRun()
    let new = server.head.snapshot.changed(20, new: "new", using: &random)
    await transport.change { $0.commit(new) }
    await replica.resume()
    try await replica.settle()
    try await fixture.writer.write { db in
      try replica.edit(db, [.put(ModelServer.item("mine"), .first), .move("i77", .last)])
    }
    await replica.resume()
    for await state in replica.editStates where state == .none { break }
    await replica.stop()
    let statements = Set(fixture.statements.all.dropFirst(known).map { $0[0] })
    #expect(statements.contains { $0.contains("BETWEEN") })
    try await fixture.writer.read { db in
      for sql in statements where ["SELECT", "UPDATE", "DELETE"].contains(where: sql.hasPrefix) {
        let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
        statement.setUncheckedArguments(StatementArguments())
        let details = try Row.fetchAll(statement).map { $0["detail"] as String }
        let scans = details.filter { $0.hasPrefix("SCAN") && $0 != "SCAN sqlite_master" }
        #expect(scans.isEmpty, "\(sql): \(details)")
      }
    }
  }

  /// The worst place for sparse numbers: always before the same item.
  @Test func rowsAreSpreadSeldom() async throws {
    var server = ModelServer()
    server.commit(.numbered(400))
    let (_, fixture, replica) = try await TableFixture.follow(server)
    let before = try await fixture.writer.read { $0.totalChangesCount }
    for number in 0..<100 {
      try await fixture.writer.write { db in
        try replica.edit(db, [.put(ModelServer.item("new\(number)"), .before("i200"))])
      }
    }
    try fixture.check()
    let written = try await fixture.writer.read { $0.totalChangesCount } - before
    // An edit writes its row, a group, the copy and its edits, which are replaced. A spreading
    // writes 64 rows twice.
    #expect(written < 100 * 14, "\(written) rows")
    await replica.stop()
  }

  @Test func anUpdateIsOneTransactionForObservers() async throws {
    var server = ModelServer()
    server.commit(.numbered(100))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    let seen = Seen()
    let observation = DatabaseRegionObservation(tracking: Table("parks"))
    let running = observation.start(in: fixture.writer) { _ in
      Issue.record("the observation failed")
    } onChange: { db in
      seen.append((try? String.fetchAll(db, sql: "SELECT id FROM parks ORDER BY place")) ?? [])
    }
    let ids = ["i5", "i99", "new", "i3", "i0"]
    await transport.change { $0.commit(ids) }
    await replica.resume()
    try await replica.settle()
    #expect(seen.all == [ids])
    running.cancel()
    await replica.stop()
  }

  @Test func updatesHaveTheIndexesOfTheRows() async throws {
    var random = SeededRandom.forThisRun()
    var server = ModelServer()
    server.commit(.numbered(50))
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    var (shown, revision) = try await fixture.writer.read { db in
      (try Self.table(db), try replica.revision(db))
    }
    let updates = replica.updates(after: revision)
    var reader = updates.makeAsyncIterator()
    for version in 0..<20 {
      let new = await transport.server.head.snapshot.changed(3, new: "v\(version)", using: &random)
      await transport.change { if $0.head.snapshot != new { $0.commit(new) } }
      await replica.resume()
      try await replica.settle()
      try await fixture.writer.write { db in
        try replica.edit(db, [.put(ModelServer.item("mine\(version)"), .first)])
      }
      await replica.resume()
      for await state in replica.editStates where state == .none { break }
      let newest = try await fixture.writer.read { try replica.revision($0) }
      while revision < newest {
        let update = try #require(await reader.next())
        shown = try shown.applying(try #require(update.changes))
        revision = update.revision
      }
      #expect(try await fixture.writer.read { try Self.table($0) } == shown)
    }
    await replica.stop()
  }

  @Test func aSlowReaderGetsOneUpdate() async throws {
    var server = ModelServer()
    server.commit(["a", "b"])
    let (transport, fixture, replica) = try await TableFixture.follow(server)
    let revision = try await fixture.writer.read { try replica.revision($0) }
    var reader = replica.updates(after: revision).makeAsyncIterator()
    for ids in [["c", "a", "b"], ["c", "b"], ["b", "c=1"]] {
      await transport.change { $0.commit(ids) }
      await replica.resume()
      try await replica.settle()
    }
    let update = try #require(await reader.next())
    #expect(update.revision == revision + 3)
    let shown = try server.head.snapshot.items.applying(try #require(update.changes))
    #expect(try fixture.items() == shown)
    let waiting = Task { [reader] in
      var reader = reader
      return await reader.next()
    }
    waiting.cancel()
    #expect(await waiting.value?.revision == nil, "the end of the task ends the wait")
    await replica.stop()
  }

  private static func table(_ db: Database) throws -> [Item] {
    try TableFixture.table.rows(db, from: nil, to: nil).map(\.item)
  }

  /// A reader of a pool sees the state before the update, while the update is written.
  @Test func aReadDuringAnUpdateWaitsForNobody() async throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try TableFixture(path: folder.appendingPathComponent("app.db").path)
    var server = ModelServer()
    server.commit(["a", "b"])
    let transport = FakeTransport(server)
    let (pool, seen) = (fixture.writer, Seen())
    let table = ItemTable("parks") { item in
      // This runs in the transaction of the update.
      if item.id == "c" {
        DispatchQueue.global().sync {
          seen.append(
            (try? pool.unsafeRead { try String.fetchAll($0, sql: "SELECT id FROM parks") }) ?? [])
        }
      }
      return ["favourite": 7.databaseValue]
    }
    let replica = TableReplica(
      of: ModelServer.list, server: TableFixture.source.server,
      from: ServerOrigin(transport: transport), in: pool, table: table, watches: false)
    try await replica.start()
    try await replica.settle()
    await transport.change { $0.commit(["c", "a"]) }
    await replica.resume()
    try await replica.settle()
    #expect(seen.all == [["a", "b"]])
    #expect(try fixture.items().map(\.id) == ["c", "a"])
    let columns = try await pool.read { try Int.fetchAll($0, sql: "SELECT favourite FROM parks") }
    #expect(columns == [7, 7])
    await replica.stop()
  }
}

/// What an observer saw.
final class Seen: @unchecked Sendable {
  private let lock = NSLock()
  private var lists: [[String]] = []

  var all: [[String]] { lock.withLock { lists } }

  func append(_ list: [String]) { lock.withLock { lists.append(list) } }
}
