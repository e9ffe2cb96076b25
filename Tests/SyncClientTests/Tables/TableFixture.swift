import Foundation
import GRDB
import ListModel
import TestSupport
import Testing

@testable import GRDBReplica
@testable import SyncClient

/// An app's database with a table of items.
struct TableFixture {
  static let source = ReplicaSource(server: "https://lists.example", list: ModelServer.list)
  static let table = ItemTable("parks")

  let writer: any DatabaseWriter
  /// The statements that were run.
  let statements = Seen()

  /// A database in memory or, with a path, one on disk.
  ///
  /// - Parameters:
  ///   - isWAL: whether it is a pool in WAL mode; else it has a rollback journal.
  ///   - busyMode: for other connections.
  init(
    path: String? = nil, isWAL: Bool = true, busyMode: Database.BusyMode = .immediateError
  ) throws {
    var configuration = Configuration()
    configuration.busyMode = busyMode
    let statements = statements
    configuration.prepareDatabase { db in
      db.trace { event in
        if case .statement(let statement) = event { statements.append([statement.sql]) }
      }
    }
    writer =
      if let path, isWAL {
        try DatabasePool(path: path, configuration: configuration)
      } else if let path {
        try DatabaseQueue(path: path, configuration: configuration)
      } else {
        try DatabaseQueue(configuration: configuration)
      }
    try writer.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS parks (
            id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL,
            favourite INTEGER NOT NULL DEFAULT 0);
          CREATE INDEX IF NOT EXISTS parks_by_place ON parks (place);
          """)
    }
  }

  /// A replica that has the head of a server.
  static func follow(
    _ server: ModelServer
  ) async throws -> (transport: FakeTransport, fixture: TableFixture, replica: TableReplica) {
    let transport = FakeTransport(server)
    let fixture = try TableFixture()
    let replica = fixture.replica(transport)
    try await replica.start()
    try await replica.settle()
    return (transport, fixture, replica)
  }

  func replica(_ transport: FakeTransport, watches: Bool = false) -> TableReplica {
    TableReplica(
      of: ModelServer.list, server: Self.source.server,
      from: ServerOrigin(transport: transport), in: writer, table: Self.table, watches: watches,
      clock: .immediate)
  }

  /// Waits until the copy has the edits that were committed before.
  func settle(_ replica: TableReplica) async throws {
    try await eventually("the copy has the edits") {
      try await replica.settle()
      return try await writer.read { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM listsync_edits") == 0
      }
    }
    try await replica.settle()
  }

  /// The number of groups of rows that were read so far.
  var readGroupCount: Int { statements.all.count { $0[0].contains("SELECT id, content, place") } }

  /// All values of the tables of copies and of some tables of the app.
  func dump(_ tables: String...) throws -> [[DatabaseValue]] {
    try writer.read { db in
      try (["listsync_copies", "listsync_groups", "listsync_edits"] + tables).flatMap { table in
        try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map {
          Array($0.databaseValues)
        }
      }
    }
  }

  /// The rows, in their order.
  func items() throws -> [Item] {
    try writer.read { db in
      try Self.table.rows(db, from: nil, to: nil).map(\.item)
    }
  }

  /// Checks that the groups are those of the rows, and that places ascend.
  func check(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try writer.read { db in
      let state = try CopyState.read(db, Self.source, Self.table)
      let rows = state.rows
      let all = try Self.table.rows(db, from: nil, to: nil)
      #expect(
        zip(all, all.dropFirst()).allSatisfy { $0.place < $1.place }, comment,
        sourceLocation: sourceLocation)
      #expect(
        rows.tree.root == Root(of: Snapshot(uniqueItems: all.map(\.item))), comment,
        sourceLocation: sourceLocation)
      // Each group is read by its places, and compared with its hash.
      #expect(
        try rows.items(at: [0..<rows.tree.itemCount]) == all.map(\.item), comment,
        sourceLocation: sourceLocation)
      #expect(
        rows.parts.map(\.firstPlace) == rows.starts.dropLast().map { all[$0].place }, comment,
        sourceLocation: sourceLocation)
    }
  }
}

extension Snapshot {
  /// A list of some items with numbers as ids.
  static func numbered(_ count: Int) -> Snapshot {
    Snapshot(uniqueItems: (0..<count).map { ModelServer.item("i\($0)") })
  }

  /// The list with random changes: removed, new, updated and moved items, and moved blocks.
  func changed(_ count: Int, new prefix: String, using random: inout SeededRandom) -> Snapshot {
    var items = items
    for number in 0..<count {
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where !items.isEmpty: items.remove(at: .random(in: items.indices, using: &random))
      case 1 where !items.isEmpty:
        let index = Int.random(in: items.indices, using: &random)
        items[index] = ModelServer.item(
          "\(items[index].id)=\(Int.random(in: 1..<1000, using: &random))")
      case 2 where !items.isEmpty:
        let item = items.remove(at: .random(in: items.indices, using: &random))
        items.insert(item, at: .random(in: 0...items.count, using: &random))
      case 3 where items.count > 1:
        let start = Int.random(in: items.indices, using: &random)
        let end = Int.random(in: start...min(items.count, start + items.count / 3), using: &random)
        let block = Array(items[start..<end])
        items.removeSubrange(start..<end)
        items.insert(contentsOf: block, at: .random(in: 0...items.count, using: &random))
      default:
        items.insert(
          ModelServer.item("\(prefix).\(number)"), at: .random(in: 0...items.count, using: &random))
      }
    }
    return Snapshot(uniqueItems: items)
  }
}
