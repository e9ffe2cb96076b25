import Foundation
import GRDB
import ListModel
import Migrations
import Synchronization

/// A store in one SQLite file.
///
/// Durability: write-ahead log with `synchronous=FULL`, so that a version survives a power cut once
/// its commit has returned. One connection writes; readers see the last committed state and wait
/// for nobody. Every page of the file has a checksum, which is checked whenever it is read.
public final class SQLiteStore: ListStore {
  public enum Absence: Sendable {
    /// A store that is not there is made.
    case create
    /// A store that is not there is an error.
    case fail
  }

  /// How long to wait for another process's write, unless told otherwise.
  public static let busyTimeoutSeconds: TimeInterval = 10

  let path: String
  let writer: DatabaseQueue
  /// The writer itself, where the store was opened to be read.
  let readers: any DatabaseReader
  let checkpointer: WALCheckpointer
  private let commitWatch: CommitWatch
  private let rowsRead = Mutex(0)

  /// Opens the store at a path and brings its schema up to date.
  ///
  /// A file that is not a store of this or an older ListSync is not touched.
  ///
  /// - Throws: `StoreError`, of those grouped under opening.
  public init(
    path: String, ifAbsent absence: Absence,
    busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds
  ) throws {
    self.path = path
    checkpointer = WALCheckpointer(path: path)
    commitWatch = CommitWatch(path: path, busyTimeoutSeconds: busyTimeoutSeconds)
    let found = try StoreFile(path: path, busyTimeoutSeconds: busyTimeoutSeconds).look()
    if !found.isStore, absence == .fail { throw StoreError.notFound(path: path) }
    do {
      if found.lacksChecksums {
        try ChecksumUpgrade(path: path, busyTimeoutSeconds: busyTimeoutSeconds).run()
      }
      let address = try StoreConnection.address(of: path)
      var configuration = StoreConnection.configuration(busyTimeoutSeconds: busyTimeoutSeconds)
      writer = try DatabaseQueue(path: address, configuration: configuration)
      writer.inDatabase(checkpointer.watch)
      try writer.writeWithoutTransaction { db in
        if try !db.hasPages() { db.reserveRoomForChecksums() }
        try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
      }
      try Self.migrate(writer)
      // A pool that may write sets the journal up by itself, and looks for it beside an address.
      configuration.readonly = true
      readers = try DatabasePool(path: address, configuration: configuration)
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  /// Whoever closes the file last folds the log into it, which a reader cannot.
  deinit {
    commitWatch.close()
    if readers as? DatabaseQueue !== writer { try? readers.close() }
  }

  /// Opens the store at a path to read it: the file is not written, and no writer is waited for.
  ///
  /// Only a store of the first two schemas is written, to bring it up to date.
  ///
  /// Where the disk is too full for what connections share, this one has the store for itself.
  ///
  /// - Throws: `StoreError`, of those grouped under opening.
  public init(
    readingFrom path: String, busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds
  ) throws {
    self.path = path
    checkpointer = WALCheckpointer(path: path)
    commitWatch = CommitWatch(path: path, busyTimeoutSeconds: busyTimeoutSeconds)
    let found = try StoreFile(path: path, busyTimeoutSeconds: busyTimeoutSeconds).look()
    guard found.isStore else { throw StoreError.notFound(path: path) }
    do {
      if found.lacksChecksums {
        try ChecksumUpgrade(path: path, busyTimeoutSeconds: busyTimeoutSeconds).run()
      }
      writer = try Self.queue(path: path, busyTimeoutSeconds: busyTimeoutSeconds)
      writer.inDatabase(checkpointer.watch)
      readers = writer
      if try writer.read({ try $0.schema() }) < Schema.firstReadAsItIs {
        try Self.migrate(writer)
      }
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
  }

  private static func queue(
    path: String, busyTimeoutSeconds: TimeInterval
  ) throws -> DatabaseQueue {
    let address = try StoreConnection.address(of: path)
    func open(sharesMemory: Bool) throws -> DatabaseQueue {
      try DatabaseQueue(
        path: address,
        configuration: StoreConnection.configuration(
          busyTimeoutSeconds: busyTimeoutSeconds, sharesMemory: sharesMemory))
    }
    do {
      return try open(sharesMemory: true)
    } catch let error as DatabaseError where error.lacksRoomForSharedMemory {
      return try open(sharesMemory: false)
    }
  }

  /// Applies the migrations that are missing. Another process may do the same at the same moment:
  /// the one that comes second fails on what is there already, and then finds it applied.
  private static func migrate(_ database: any DatabaseWriter) throws {
    let migrator = Schema.migrator
    // A store that is up to date is opened without waiting for whoever writes to it.
    if try database.read(migrator.hasCompletedMigrations) { return }
    var appliedCount = -1
    while true {
      do {
        return try migrator.migrate(database)
      } catch {
        let count = try database.read { try migrator.appliedIdentifiers($0).count }
        guard count > appliedCount else { throw error }
        appliedCount = count
      }
    }
  }

  /// The version of the SQLite library in use.
  public static var libraryVersion: String {
    (try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") })
      ?? "unknown"
  }

  /// The schema version that this build writes.
  public static var schemaVersion: Int { Migrations.all.count }

  /// How the connection that writes is set: the pragmas that promises depend on.
  package func settings() throws -> [String: String] {
    try writer.writeWithoutTransaction { db in
      try ["journal_mode", "synchronous"].reduce(into: [:]) { settings, name in
        settings[name] = try String.fetchOne(db, sql: "PRAGMA \(name)")
      }
    }
  }

  /// The rows that were read in loops so far: what a question costs, whatever the machine.
  package var rowsReadCount: Int { rowsRead.withLock { $0 } }

  public func read<Result: Sendable>(
    _ body: @Sendable (any ListReader) throws -> Result
  ) async throws -> Result {
    do {
      return try await readers.read { db in try run(body, SQLiteReader(db: db)) }
    } catch let error as DatabaseError {
      throw StoreError(error, at: path)
    }
  }

  public func write<Result: Sendable>(
    _ body: @Sendable (any ListWriter) throws -> Result
  ) async throws -> Result {
    do {
      let result = try await writer.write { db in try run(body, SQLiteReader(db: db)) }
      await checkpointer.runIfDue(on: writer)
      return result
    } catch let error as DatabaseError {
      throw StoreError(error, at: path)
    }
  }

  public func writeIfFree(_ body: @Sendable (any ListWriter) throws -> Void) async {
    // What is only kept for speed is not worth waiting for, nor failing.
    try? await writer.writeWithoutTransaction { db in
      try db.withoutWaiting {
        try db.inTransaction(.immediate) {
          try run(body, SQLiteReader(db: db))
          return .commit
        }
      }
    }
  }

  public func stateMark() async throws -> StateMark {
    do {
      return try await commitWatch.mark()
    } catch let error as DatabaseError {
      throw StoreError(error, at: path)
    }
  }

  /// Runs a body on the connection that writes, for what SQLite refuses in a transaction.
  func withoutTransaction<Result: Sendable>(
    _ body: @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await writer.writeWithoutTransaction(body)
    } catch let error as DatabaseError {
      throw StoreError(error, at: path)
    }
  }

  private func run<Result>(
    _ body: (any ListReader) throws -> Result, _ reader: SQLiteReader
  ) throws -> Result {
    defer { rowsRead.withLock { $0 += reader.rows.count } }
    return try body(reader)
  }

  private func run<Result>(
    _ body: (any ListWriter) throws -> Result, _ reader: SQLiteReader
  ) throws -> Result {
    defer { rowsRead.withLock { $0 += reader.rows.count } }
    return try body(reader)
  }
}
