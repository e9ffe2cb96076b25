import Foundation
import GRDB
import GRDBReplica
import ListChanges
import ListModel
import SyncClient
import SyncClientHTTP
import UIKitStub

/// An app that has a list as rows of its own database.
@MainActor final class TableApp {
  // page
  struct Park: Codable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "parks"
    let id: String
    var name: String
    var state: String?
  }
  // end

  func open() throws -> DatabasePool {
    // page
    let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let pool = try DatabasePool(path: folder.appendingPathComponent("app.db").path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("parks") { db in
      try db.create(table: "parks") { table in
        table.column("id", .text).notNull().unique()
        table.column("place", .integer).notNull().indexed()
        table.column("content", .blob).notNull()
        table.column("name", .text)
        table.column("state", .text)
        table.column("isFavourite", .boolean).notNull().defaults(to: false)
      }
    }
    try migrator.migrate(pool)
    // end
    return pool
  }

  func follow(in pool: DatabasePool) async throws -> TableReplica {
    // page
    let address = try ServerAddress("https://lists.example")
    let replica = TableReplica(
      of: ListName("parks")!, at: address, over: HTTPTransport(address), in: pool,
      table: ItemTable("parks", of: Park.self))
    try await replica.start()
    // end
    return replica
  }

  private var parks: [Park] = []

  func show(_ pool: DatabasePool) async throws {
    // page
    let firstParks = ValueObservation.tracking { db in
      try Park.fetchAll(db, sql: "SELECT id, name, state FROM parks ORDER BY place LIMIT 50")
    }
    for try await parks in firstParks.values(in: pool) { self.parks = parks }
    // end
  }

  private let collectionView = UICollectionView()
  private var ids: [String] = []

  func animate(_ replica: TableReplica, _ pool: DatabasePool) async throws {
    // page
    let (first, revision) = try await pool.read { db in
      (
        try String.fetchAll(db, sql: "SELECT id FROM parks ORDER BY place"),
        try replica.revision(db)
      )
    }
    ids = first
    collectionView.reloadData()
    for await update in replica.updates(after: revision) {
      guard let changes = update.changes else { break }  // read all ids again
      collectionView.update(by: changes.batchUpdates(), inSection: 0) { self.ids.apply(changes) }
    }
    // end
  }

  func rename(_ replica: TableReplica, _ pool: DatabasePool) async throws {
    // page
    var zion = Park(id: "zion", name: "Zion", state: "Utah")
    zion.name = "Zion National Park"
    let json = String(decoding: try JSONEncoder().encode(zion), as: UTF8.self)
    let item = Item(id: "zion", content: try Content(json: json))
    try await pool.write { db in
      try replica.edit(db, [.put(item, nil), .move("yosemite", .first), .remove("acadia")])
      try db.execute(sql: "UPDATE parks SET isFavourite = TRUE WHERE id = 'zion'")
    }
    for await state in replica.editStates {
      if case .refused(.conflicts(let conflicts)) = state { show(conflicts) }
    }
    // end
  }

  func beginAgain(_ replica: TableReplica, _ pool: DatabasePool) async throws {
    // page
    await replica.stop()
    try await pool.write { try TableReplica.removeCopy($0, of: replica.table) }
    // end
  }

  private func show(_ conflicts: [ItemMerge.Conflict]) {}
}

// page
extension [String] {
  /// The ids after an update of the items.
  mutating func apply(_ changes: ChangeSet<Item>) {
    let gone = Set(changes.removed.map(\.from) + changes.moved.map(\.from))
    let moved = changes.moved.map { ($0.to, self[$0.from]) }
    let arriving = moved + changes.inserted.map { ($0.to, $0.element.id.text) }
    self = enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    for (index, id) in arriving.sorted(by: { $0.0 < $1.0 }) { insert(id, at: index) }
  }
}
// end
