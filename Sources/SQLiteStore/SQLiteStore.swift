import Foundation
import GRDB
import GRDBSQLite
import ListModel
import ListStore
import LocalFiles
import Migrations
import RawSQLite
import Synchronization

/// A store in one SQLite file.
///
/// Durability: a write-ahead log with `synchronous=FULL`, so a version survives a power cut once
/// its commit has returned. One connection writes; readers see the last committed state and never
/// wait. Every row has a digest, which is compared whenever the row is read.
public final class SQLiteStore: FileStore, Engine {
  public enum Absence: Sendable {
    /// Create a store where there is none.
    case create
    /// Throw an error where there is no store.
    case fail
  }

  /// The default time that a writer waits for another process that writes.
  public static let busyTimeoutSeconds: TimeInterval = 10

  let file: StorePath
  let writer: DatabaseQueue
  let checkpointer: WALCheckpointer
  private let mode: StoreMode
  private let hasOneConnection: Bool
  /// The connections that read while the writer may write.
  private let pool: LazyConnection<DatabasePool>
  /// The connection that reads only the state mark.
  private let markConnection: LazyConnection<DatabaseQueue>
  private let openedFile: OpenedFile
  let schema: Schema
  private let rowsRead = Atomic(0)
  /// The number of callers of this process that write or wait to write.
  private let writerCount = Atomic(0)

  /// Opens the store at a path and upgrades it to the newest schema.
  ///
  /// Changes only stores of this or an older version of ListSync; all other files stay as they are.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - absence: what happens if there is no store.
  ///   - hasOneConnection: whether the connection that writes also reads. This saves a process that
  ///     does one thing at a time the opening of a second connection.
  ///   - busyTimeoutSeconds: how long a writer waits for another process.
  /// - Throws: one of the errors of `StoreError` listed under "When it is opened".
  public convenience init(
    path: String, ifAbsent absence: Absence, hasOneConnection: Bool = false,
    busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds
  ) throws {
    try self.init(
      path: path, ifAbsent: absence, hasOneConnection: hasOneConnection,
      busyTimeoutSeconds: busyTimeoutSeconds, migrations: Migrations.all)
  }

  /// - Parameter migrations: the released migrations; tests add those of a later version.
  package convenience init(
    path: String, ifAbsent absence: Absence, hasOneConnection: Bool = false,
    busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds,
    migrations: [Migrations.Migration]
  ) throws {
    let file = try StorePath(path, ifAbsent: absence)
    let schema = Schema(migrations: migrations)
    try file.checkWritable()
    try self.init(file, .write, hasOneConnection, busyTimeoutSeconds, schema) { db in
      try db.execute(sql: "PRAGMA synchronous = FULL")
      try db.becomeStore(at: file, ifAbsent: absence, known: schema)
      guard try db.startWriteAheadLog(busyTimeoutSeconds: busyTimeoutSeconds) else {
        throw StoreError.cannotOpen(store: path, reason: "its file system has no write-ahead log")
      }
      // In the new mode, SQLite reports a WAL checkpoint as locked until the connection has read
      // something.
      _ = try db.schema()
    }
  }

  /// Opens the store at a path to read it, without writing the file or waiting for a writer.
  ///
  /// If the disk has no room for the memory that connections share, no other connection can use the
  /// store while this one is open. For a process that may not write, see ``isReadWithoutLocks``.
  ///
  /// - Throws: one of the errors of `StoreError` listed under "When it is opened"; `.older` for a
  ///   store that must be upgraded first.
  public convenience init(
    readingFrom path: String, busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds
  ) throws {
    try self.init(
      readingFrom: path, busyTimeoutSeconds: busyTimeoutSeconds, migrations: Migrations.all)
  }

  /// - Parameter migrations: the released migrations; tests add those of a later version.
  package convenience init(
    readingFrom path: String, busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds,
    migrations: [Migrations.Migration]
  ) throws {
    let file = try StorePath(path, ifAbsent: .fail)
    let schema = Schema(migrations: migrations)
    try self.init(file, nil, true, busyTimeoutSeconds, schema) { db in
      let found = try db.storeSchema(at: file, known: schema).number
      if found == 0 { throw StoreError.notFound(store: path) }
      guard found == schema.newest else {
        throw StoreError.older(store: path, schema: found, known: schema.newest)
      }
    }
  }

  /// - Parameters:
  ///   - mode: the mode; nil for reading, in the mode that the rights of this process allow.
  ///   - prepare: prepares the first connection.
  private init(
    _ file: StorePath, _ mode: StoreMode?, _ hasOneConnection: Bool,
    _ busyTimeoutSeconds: TimeInterval, _ schema: Schema, prepare: (Database) throws -> Void
  ) throws {
    (self.schema, self.file, self.hasOneConnection) = (schema, file, hasOneConnection)
    self.mode = try mode ?? StoreMode(reading: file)
    let configuration: @Sendable () -> Configuration = {
      // A pool that may write sets up the journal by itself.
      var configuration = StoreConnection.configuration(busyTimeoutSeconds: busyTimeoutSeconds)
      configuration.readonly = true
      return configuration
    }
    let path = file.resolved
    pool = LazyConnection { try DatabasePool(path: path, configuration: configuration()) }
    markConnection = LazyConnection {
      try DatabaseQueue(path: path, configuration: configuration())
    }
    checkpointer = WALCheckpointer(path: path)
    do {
      writer = try StoreConnection.open(file, self.mode, busyTimeoutSeconds: busyTimeoutSeconds)
      writer.inDatabase(checkpointer.watch)
      try writer.writeWithoutTransaction(prepare)
    } catch let error as DatabaseError {
      throw StoreError(opening: file.name, error)
    }
    openedFile = OpenedFile(file, hasLocks: self.mode != .unlocked)
  }

  /// Closes the connections. The last one copies the write-ahead log into the file; a reader's
  /// connection cannot do this.
  deinit {
    markConnection.close()
    pool.close()
    if openedFile.hasLostItsLog {
      // The process keeps this connection until it ends, so that nobody closes the last one. Until
      // then, it cannot use the new store.
      _ = Unmanaged.passRetained(writer)
    } else {
      try? writer.close()
    }
  }

  /// Whether the store is read without locks, since this process may write neither the file nor its
  /// folder. If another process writes the file during a reading, the reading throws
  /// `StoreError.busy`.
  public var isReadWithoutLocks: Bool { mode == .unlocked }

  /// Returns the connections that read. A store that was opened for reading has only one
  /// connection.
  func readers() throws -> any DatabaseReader { hasOneConnection ? writer : try pool.opened() }

  /// The version of the SQLite library in use.
  public static var libraryVersion: String { String(cString: sqlite3_libversion()) }

  /// The schema version that this build writes.
  public static var schemaVersion: Int { Migrations.all.count }

  /// The number of rows that were read so far: a measure of cost that does not depend on the
  /// machine.
  package var rowsReadCount: Int { rowsRead.load(ordering: .relaxed) }

  /// The number of times that the store's path was compared with the file that is open.
  package var fileComparisonCount: Int { openedFile.comparisonCount }

  public func readRows<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result {
    let before = unlockedStatus
    do {
      let result =
        try await hasOneConnection
        ? readOnWriter(body) : pool.opened().read { db in try run(on: db, body) }
      guard unlockedStatus == before else { throw StoreError.busy }
      return result
    } catch let error as DatabaseError {
      throw unlockedStatus == before ? StoreError(error) : StoreError.busy
    }
  }

  /// GRDB's `read` makes a connection that may write read-only for a while, by a pragma after which
  /// SQLite compiles all statements again. A body that only reads does not need it.
  private func readOnWriter<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result {
    try await writer.unsafeRead { db in
      var result: Result?
      try db.inTransaction(.deferred) {
        result = try run(on: db, body)
        return .commit
      }
      guard let result else { preconditionFailure("a transaction without an error has a result") }
      return result
    }
  }

  /// The status of a file that is read without locks.
  private var unlockedStatus: FileStatus? {
    isReadWithoutLocks ? FileStatus(path: file.resolved) : nil
  }

  public func writeRows<Result: Sendable>(
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) async throws -> Result {
    writerCount.add(1, ordering: .relaxed)
    defer { writerCount.subtract(1, ordering: .relaxed) }
    do {
      let result = try await writer.write { db in
        try openedFile.check()
        return try run(on: db, body)
      }
      // If another file took its place during the commit, the commit must not be acknowledged.
      try openedFile.check()
      await checkpointer.runIfDue(on: writer)
      return result
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  public func writeRowsIfFree(_ body: @Sendable (any EngineWriter) throws -> Void) async {
    // Don't wait for other writers: derived data can be stored later.
    guard writerCount.add(1, ordering: .relaxed).oldValue == 0 else {
      writerCount.subtract(1, ordering: .relaxed)
      return
    }
    defer { writerCount.subtract(1, ordering: .relaxed) }
    try? await writer.writeWithoutTransaction { db in
      try db.withoutWaiting {
        try db.inTransaction(.immediate) {
          try run(on: db, body)
          return .commit
        }
      }
    }
  }

  /// Returns a mark made of SQLite's data version, which differs after commits by other
  /// connections. A connection notices new commits only outside of a transaction, so this
  /// connection does nothing else.
  ///
  /// Source: https://www.sqlite.org/pragma.html#pragma_data_version
  public func dataVersion() async throws -> DataVersion {
    try openedFile.check()
    do {
      return try await markConnection.opened().unsafeRead { db in
        DataVersion(try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0)
      }
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  /// Runs a body on the connection that writes, for statements that SQLite refuses in transactions.
  func withoutTransaction<Result: Sendable>(
    _ body: @Sendable (Database) throws -> Result
  ) async throws -> Result {
    writerCount.add(1, ordering: .relaxed)
    defer { writerCount.subtract(1, ordering: .relaxed) }
    do {
      return try await writer.writeWithoutTransaction { db in
        try openedFile.check()
        return try body(db)
      }
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  private func run<Result>(
    on db: Database, _ body: (SQLiteTransaction) throws -> Result
  ) throws -> Result {
    let transaction = SQLiteTransaction(db, schema)
    defer { rowsRead.add(transaction.rowCounter.count, ordering: .relaxed) }
    return try body(transaction)
  }
}
