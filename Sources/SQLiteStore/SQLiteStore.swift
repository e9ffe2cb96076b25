import Foundation
import GRDB
import ListModel
import ListStore
import LocalFiles
import RawSQLite
import Synchronization

/// A store in one SQLite file.
///
/// Durability: write-ahead log with `synchronous=FULL`, so that a version survives a power cut once
/// its commit has returned. One connection writes; readers see the last committed state and wait
/// for nobody. Every row has a digest, which is checked whenever the row is read.
public final class SQLiteStore: FileStore {
  public enum Absence: Sendable {
    /// A store that is not there is made.
    case create
    /// A store that is not there is an error.
    case fail
  }

  /// How long to wait for another process's write, unless told otherwise.
  public static let busyTimeoutSeconds: TimeInterval = 10

  let file: StorePath
  let writer: DatabaseQueue
  let checkpointer: WALCheckpointer
  /// Nil where the store was opened to be written.
  private let readingMode: ReadingMode?
  /// The connections that read beside the writer, made for the first question.
  private let pool = Mutex<DatabasePool?>(nil)
  private let commitWatch: CommitWatch
  private let busyTimeoutSeconds: TimeInterval
  private let openedFile: OpenedFile
  /// The schema of what is read.
  private let schema: Int
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
    let file = try StorePath(path, ifAbsent: absence)
    try file.checkWritable()
    try file.checkLog()
    self.file = file
    self.busyTimeoutSeconds = busyTimeoutSeconds
    readingMode = nil
    schema = Schema.newest
    checkpointer = WALCheckpointer(path: file.resolved)
    commitWatch = CommitWatch(path: file.resolved, busyTimeoutSeconds: busyTimeoutSeconds)
    do {
      writer = try DatabaseQueue(
        path: file.resolved,
        configuration: StoreConnection.configuration(busyTimeoutSeconds: busyTimeoutSeconds))
      writer.inDatabase(checkpointer.watch)
      try writer.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.becomeStore(at: file, ifAbsent: absence)
        guard try db.startLog(busyTimeoutSeconds: busyTimeoutSeconds) else {
          throw StoreError.cannotOpen(path: path, reason: "its file system has no write-ahead log")
        }
        // SQLite takes a WAL checkpoint for locked until something was read in the new mode.
        _ = try db.schema()
      }
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
    openedFile = OpenedFile(path: file.resolved)
    openedFile.identity.map(OpenStores.add)
  }

  /// Whoever closes the file last folds the log into it, which a reader cannot.
  deinit {
    commitWatch.close()
    try? pool.withLock { try $0?.close() }
    try? writer.close()
    openedFile.identity.map(OpenStores.remove)
  }

  /// Opens the store at a path to read it: the file is not written, and no writer is waited for.
  ///
  /// Only a store of the first two schemas is written, to bring it up to date. Where the disk is
  /// too full for what connections share, this one has the store for itself; where this process may
  /// not write, see ``isReadWithoutLocks``.
  ///
  /// - Throws: `StoreError`, of those grouped under opening.
  public init(
    readingFrom path: String, busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds
  ) throws {
    let file = try StorePath(path, ifAbsent: .fail)
    try file.checkLog()
    let mode = try ReadingMode(of: file)
    self.file = file
    self.busyTimeoutSeconds = busyTimeoutSeconds
    readingMode = mode
    checkpointer = WALCheckpointer(path: file.resolved)
    commitWatch = CommitWatch(path: file.resolved, busyTimeoutSeconds: busyTimeoutSeconds)
    do {
      writer = try Self.queue(file, mode, busyTimeoutSeconds: busyTimeoutSeconds)
      writer.inDatabase(checkpointer.watch)
      schema = try writer.writeWithoutTransaction { db in try Self.prepareToRead(file, db) }
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
    openedFile = OpenedFile(path: file.resolved)
    openedFile.identity.map(OpenStores.add)
  }

  /// - Returns: the schema that the store has now.
  private static func prepareToRead(_ file: StorePath, _ db: Database) throws -> Int {
    guard case .store(let schema) = try db.finding(at: file) else {
      throw StoreError.notFound(path: file.name)
    }
    if schema < Schema.firstReadAsItIs {
      try db.becomeStore(at: file, ifAbsent: .fail)
      return Schema.newest
    }
    if schema < Schema.firstWithDigests { try DigestedTable.assumeAll(in: db) }
    return schema
  }

  private static func queue(
    _ file: StorePath, _ mode: ReadingMode, busyTimeoutSeconds: TimeInterval
  ) throws -> DatabaseQueue {
    var configuration = StoreConnection.configuration(busyTimeoutSeconds: busyTimeoutSeconds)
    switch mode {
    case .shared:
      do {
        return try DatabaseQueue(path: file.resolved, configuration: configuration)
      } catch let error as DatabaseError where error.lacksRoomForSharedMemory {
        return try DatabaseQueue(
          path: file.resolved,
          configuration: StoreConnection.configuration(
            busyTimeoutSeconds: busyTimeoutSeconds, sharesMemory: false))
      }
    case .readOnly:
      configuration.readonly = true
      return try DatabaseQueue(path: file.resolved, configuration: configuration)
    case .unlocked:
      configuration.readonly = true
      guard let address = StoreConnection.unlockedAddress(of: file) else {
        throw StoreError.cannotOpen(
          path: file.name, reason: "neither the file nor its folder can be written")
      }
      return try DatabaseQueue(path: address, configuration: configuration)
    }
  }

  /// Whether the store is read without locks, since this process may write neither the file nor its
  /// folder. A question during which another process writes the file then throws
  /// `StoreError.busy`.
  public var isReadWithoutLocks: Bool { readingMode == .unlocked }

  /// Where the file is, without links.
  var path: String { file.resolved }

  /// The connections that read: a store that was opened to be read has one, which is its writer.
  func readers() throws -> any DatabaseReader {
    if readingMode != nil { return writer }
    return try pool.withLock { pool in
      if let pool { return pool }
      // A pool that may write sets the journal up by itself.
      var configuration = StoreConnection.configuration(busyTimeoutSeconds: busyTimeoutSeconds)
      configuration.readonly = true
      let made = try DatabasePool(path: path, configuration: configuration)
      pool = made
      return made
    }
  }

  /// The version of the SQLite library in use.
  public static var libraryVersion: String {
    (try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") })
      ?? "unknown"
  }

  /// The schema version that this build writes.
  public static var schemaVersion: Int { Schema.newest }

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

  /// How often the store's path was compared with the file that is open.
  package var fileComparisonCount: Int { openedFile.comparisonCount }

  public func read<Result: Sendable>(
    _ body: @Sendable (any ListReader) throws -> Result
  ) async throws -> Result {
    let before = isReadWithoutLocks ? FileStatus(path: path) : nil
    do {
      let result = try await readers().read { db in
        try run(body, StoreReader(db: db, schema: schema))
      }
      if isReadWithoutLocks, FileStatus(path: path) != before { throw StoreError.busy }
      return result
    } catch let error as DatabaseError {
      if isReadWithoutLocks, FileStatus(path: path) != before { throw StoreError.busy }
      throw StoreError(error)
    }
  }

  public func write<Result: Sendable>(
    _ body: @Sendable (any ListWriter) throws -> Result
  ) async throws -> Result {
    do {
      let result = try await writer.write { db in
        try openedFile.check()
        return try run(body, StoreWriter(db: db, schema: schema))
      }
      // Another file may have come during the commit, which is then not acknowledged.
      try openedFile.check()
      await checkpointer.runIfDue(on: writer)
      return result
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  public func writeIfFree(_ body: @Sendable (any ListWriter) throws -> Void) async {
    // What is only kept for speed is not worth waiting for, nor failing.
    try? await writer.writeWithoutTransaction { db in
      try db.withoutWaiting {
        try db.inTransaction(.immediate) {
          try run(body, StoreWriter(db: db, schema: schema))
          return .commit
        }
      }
    }
  }

  public func stateMark() async throws -> StateMark {
    try openedFile.check()
    do {
      return try await commitWatch.mark()
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  /// Runs a body on the connection that writes, for what SQLite refuses in a transaction.
  func withoutTransaction<Result: Sendable>(
    _ body: @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await writer.writeWithoutTransaction(body)
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  private func run<Result>(
    _ body: (any ListReader) throws -> Result, _ reader: StoreReader
  ) throws -> Result {
    defer { rowsRead.withLock { $0 += reader.rows.count } }
    return try body(reader)
  }

  private func run<Result>(
    _ body: (any ListWriter) throws -> Result, _ writer: StoreWriter
  ) throws -> Result {
    defer { rowsRead.withLock { $0 += writer.rows.count } }
    return try body(writer)
  }
}
