import Foundation
import GRDB
import ListChanges
import ListDocuments
import ListModel
import SyncClient

/// A replica of a list as rows of a table in an app's own database, which the app reads as any of
/// its tables: with requests, `ValueObservation` or joins.
///
///     let parks = TableReplica(
///       of: ListName("parks")!, at: address, over: HTTPTransport(address), in: pool,
///       table: ItemTable("parks"))
///     try await parks.start()
///     let first = try await pool.read { db in
///       try Row.fetchAll(db, sql: "SELECT * FROM parks ORDER BY place LIMIT 50")
///     }
///
/// Each update of the list is one transaction: rows, places and cursor change together, and
/// observers are told once. It reads and writes the changed rows and their groups, so its memory
/// does not grow with the list. The rows show the app's edits at once.
public final class TableReplica: Sendable {
  public let table: ItemTable
  private let session: ReplicaSession
  private let writer: any DatabaseWriter
  private let source: ReplicaSource
  private let log = UpdateLog()

  /// Makes a replica, which has not started.
  ///
  /// - Parameters:
  ///   - list: its name there.
  ///   - address: of a server, or of the folder of a publication.
  ///   - transport: to the address.
  ///   - writer: a pool (WAL) or queue. Readers of a pool wait for no update.
  ///   - table: without rows before the first start.
  ///   - proves: as `ReplicaMachine/Options/proves`.
  ///   - key: as `ReplicaMachine/Options/key`.
  ///   - watches: as `ReplicaMachine/Options/watches`.
  public convenience init(
    of list: ListName, at address: ServerAddress,
    over transport: any ReplicaTransport & FileTransport,
    in writer: any DatabaseWriter, table: ItemTable, proves: Bool = false,
    key: VerifierKey? = nil, watches: Bool = true
  ) {
    self.init(
      of: list, server: address.text, from: AddressOrigin(transport), in: writer, table: table,
      proves: proves, key: key, watches: watches)
  }

  /// Makes a replica that shares the requests of a server with the replicas of other lists.
  public convenience init(
    of list: ListName, from server: ReplicaServer, in writer: any DatabaseWriter,
    table: ItemTable, proves: Bool = false, key: VerifierKey? = nil, watches: Bool = true
  ) {
    self.init(
      of: list, server: server.address.text, from: server.origin(), in: writer, table: table,
      proves: proves, key: key, watches: watches)
  }

  package init(
    of list: ListName, server: String, from origin: any ReplicaOrigin,
    in writer: any DatabaseWriter, table: ItemTable, proves: Bool = false,
    key: VerifierKey? = nil, watches: Bool = true, clock: ReplicaClock = .system
  ) {
    (self.table, self.writer) = (table, writer)
    source = ReplicaSource(server: server, list: list)
    var options = ReplicaMachine.Options(list: list)
    (options.proves, options.key, options.watches) = (proves, key, watches)
    session = ReplicaSession(
      options, origin: origin, storage: TableStorage(writer, source, table, log), clock: clock)
  }

  /// Creates the tables of copies if they are not there, reads the state of the copy, and begins to
  /// follow the list.
  ///
  /// - Throws: the `ReplicaError`s listed under "When a file is opened"; `.cannotOpen` for a table
  ///   that lacks a column, or has rows before the first start.
  public func start() async throws { try await session.start() }

  /// As `ReplicaSession/pause()`.
  public func pause() async { await session.pause() }

  /// As `ReplicaSession/resume()`.
  public func resume() async { await session.resume() }

  /// As `ReplicaSession/stop()`. The database may be closed after `settle()`.
  public func stop() async { await session.stop() }

  /// Removes the copy and all rows of the table, with the pending edits: the next replica begins
  /// with nothing. For a table whose rows the app has changed itself, or for another list.
  ///
  /// - Parameters:
  ///   - db: in a transaction, while no replica of the table runs.
  ///   - table: the table of the items.
  public static func removeCopy(_ db: Database, of table: ItemTable) throws {
    try CopyTables.remove(db, of: table)
  }

  /// As `ReplicaSession/settle()`.
  public func settle() async throws { try await session.settle() }

  /// The state of the copy: cursor, count and root of the server's list.
  public var state: ListState { get async { await session.copy.state } }

  public var states: AsyncStream<ReplicaMachine.State> { session.states }

  public var editState: EditState { get async { await session.editState } }

  public var editStates: AsyncStream<EditState> { session.editStates }

  /// As `ReplicaSession/resolve(preferring:)`.
  public func resolve(preferring side: MergeSide) async throws {
    try await session.resolve(preferring: side)
  }

  /// As `ReplicaSession/discardEdits()`.
  public func discardEdits() async throws { try await session.discardEdits() }
}

// MARK: Updates

extension TableReplica {
  /// The revision of the rows, for ``updates(after:)``, in the transaction that reads them.
  public func revision(_ db: Database) throws -> Int64 {
    try table.revision(db)
  }

  /// The updates of the rows after a revision. A slow reader gets several as one.
  public func updates(after revision: Int64) -> TableUpdates {
    TableUpdates(log: log, revision: revision)
  }
}

// MARK: Edits

extension TableReplica {
  /// Edits the list in a transaction of the app. The edits are made one after the other, and the
  /// rows have them at once. When the transaction is committed, they are sent as soon as the server
  /// is there, and merged into newer versions.
  ///
  ///     try await pool.write { db in
  ///       try parks.edit(db, [.put(zion, nil), .move("yosemite", .first), .remove("acadia")])
  ///       try Visit(park: "zion").insert(db)
  ///     }
  ///
  /// - Parameters:
  ///   - db: in a transaction of the replica's database.
  ///   - edits: each names its item by the id.
  /// - Throws: `EditError.notAList` for an id that has no row; `.notEditable` before the first
  ///   copy; `ReplicaError`; a `DatabaseError`, such as that of a trigger. The rows are then
  ///   unchanged.
  /// - Complexity: as an update of the same changes.
  public func edit(_ db: Database, _ edits: [Edit]) throws {
    guard try db.tableExists("listsync_copies"), try revision(db) > 0 else {
      throw EditError.notEditable
    }
    let state = try CopyState.read(db, source, table)
    var list = StoredList(state.rows)
    for edit in edits { try list.apply(edit) }
    let changes = try list.changes.named(in: .rows(StoredList(state.rows)))
    if changes.isEmpty { return }
    var new: CopyState?
    try db.inSavepoint {
      new = try state.editing(changes, db)
      return .commit
    }
    guard let revision = new?.rows.revision else { return }
    log.note(changes, revision: revision, in: db, present: table.revision)
    let session = session
    db.afterNextTransaction { _ in Task { await session.rowsAreEdited() } }
  }
}

extension ItemTable {
  /// The revision of the rows; 0 before the first copy.
  func revision(_ db: Database) throws -> Int64 {
    try Int64.fetchOne(
      db, sql: "SELECT revision FROM listsync_copies WHERE items = ?", arguments: [name]) ?? 0
  }
}

extension StoredList {
  /// Makes the list after an edit of one item.
  fileprivate mutating func apply(_ edit: Edit) throws {
    switch edit {
    case .remove(let id):
      let index = try knownIndex(of: id)
      try apply(
        ChangeSet(
          oldCount: count, newCount: count - 1,
          removed: [.init(from: index, element: try item(at: index))]))
    case .put(let item, let place):
      guard let index = try index(of: item.id) else {
        let to = try place.map { try self.index(at: $0, without: nil) } ?? count
        return try apply(
          ChangeSet(oldCount: count, newCount: count + 1, inserted: [.init(to: to, element: item)]))
      }
      let old = try self.item(at: index)
      if old != item {
        try apply(
          ChangeSet(
            oldCount: count, newCount: count,
            updated: [.init(from: index, to: index, old: old, new: item)]))
      }
      if let place { try move(item.id, to: place) }
    case .move(let id, let place): try move(id, to: place)
    }
  }

  private mutating func move(_ id: ItemID, to place: Edit.Place) throws {
    let from = try knownIndex(of: id)
    let to = try index(at: place, without: from)
    if from == to { return }
    try apply(
      ChangeSet(oldCount: count, newCount: count, moved: [.init(from: from, to: to, id: id)])
        .canonical())
  }

  private func knownIndex(of id: ItemID) throws -> Int {
    guard let index = try index(of: id) else {
      throw EditError.notAList(reason: "there is no item '\(id)'")
    }
    return index
  }

  /// The index of an item that gets a place, in the list after it.
  ///
  /// - Parameter former: its index before; nil for a new item.
  private func index(at place: Edit.Place, without former: Int?) throws -> Int {
    /// The index of another item, without the one that gets a place.
    func other(_ id: ItemID) throws -> Int {
      let index = try knownIndex(of: id)
      return index - (former.map { $0 < index ? 1 : 0 } ?? 0)
    }
    let last = count - (former == nil ? 0 : 1)
    return switch place {
    case .first: 0
    case .last: last
    case .at(let index): min(max(0, index), last)
    case .before(let id): try other(id)
    case .after(let id): try other(id) + 1
    }
  }
}
