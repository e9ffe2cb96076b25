import Foundation
import GRDB
import GRDBSQLite
import Synchronization
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// WAL checkpoints copy the write-ahead log into the file.
@Suite(.serialized) struct WALCheckpointTests {
  /// A connection that commits, and another one that copies its write-ahead log.
  private struct Writer {
    let checkpointer: WALCheckpointer
    let connection: DatabaseQueue

    init(_ path: String) throws {
      let checkpointer = WALCheckpointer(path: path)
      checkpointer.setPageLimit(1)
      var configuration = Configuration()
      configuration.prepareDatabase { checkpointer.watch($0) }
      self.checkpointer = checkpointer
      connection = try DatabaseQueue(
        path: path, configuration: configuration)
    }

    func insert(_ count: Int) throws {
      for _ in 0..<count {
        try connection.write { try $0.execute(sql: "INSERT INTO rows VALUES (randomblob(3000))") }
      }
    }

    func copyLog() async { await checkpointer.runIfDue(on: connection) }
  }

  private func path(_ folder: StoreFolder) throws -> String {
    try folder.sql("PRAGMA journal_mode = WAL")
    try folder.sql("CREATE TABLE rows (content)")
    return folder.path
  }

  private func logByteCount(_ folder: StoreFolder) throws -> Int {
    try folder.bytes()["test.db-wal"]?.count ?? 0
  }

  @Test func walSizeStaysBoundedAsCommitsAccumulate() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    store.checkpointer.setPageLimit(40)
    for number in 0..<200 { try await store.append(["a=\(number)"]) }
    #expect(try logByteCount(folder) < 100 * 4096)
  }

  /// The length of the write-ahead log makes no difference.
  @Test func commitNeverRunsAWALCheckpointByItself() async throws {
    let folder = try StoreFolder()
    let writer = try Writer(try path(folder))
    try writer.insert(1200)
    #expect(try logByteCount(folder) > 1200 * 4096)
    #expect(try #require(try folder.bytes()["test.db"]).count < 10 * 4096)
    await writer.copyLog()
    #expect(try #require(try folder.bytes()["test.db"]).count > 1200 * 3000)
  }

  @Test func walCheckpointSkipsABusyStoreAndRunsAfterTheNextCommit() async throws {
    let folder = try StoreFolder()
    let writer = try Writer(try path(folder))
    try writer.insert(10)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder.path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    await writer.copyLog()
    #expect(try #require(try folder.bytes()["test.db"]).count < 10 * 3000)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    await writer.copyLog()
    #expect(try #require(try folder.bytes()["test.db"]).count > 10 * 3000)
  }

  /// The moment in which SQLite before 3.51.3 loses pages: a WAL checkpoint has read the length of
  /// the write-ahead log, all of which is in the file already, and another connection starts the
  /// log anew.
  @Test func otherConnectionsCannotRestartTheWALDuringACheckpoint() async throws {
    let folder = try StoreFolder()
    let (one, other) = (try Writer(try path(folder)), try Writer(folder.path))
    try one.insert(40)
    try other.insert(1)
    let result = Mutex<Result<Void, any Error>?>(nil)
    func interceptCheckpoint(by copier: DatabaseQueue) throws {
      try copier.writeWithoutTransaction { db in
        // So that the checkpoint has nothing else to read.
        _ = try Row.fetchAll(db, sql: "SELECT * FROM sqlite_schema")
        try HeaderReading.intercept(db) {
          let written = Result { try one.insert(1) }
          result.withLock { $0 = written }
        }
      }
    }
    try interceptCheckpoint(by: other.checkpointer.copier.opened())
    try one.insert(1)
    await one.copyLog()
    await other.copyLog()
    let written = try #require(result.withLock { $0 }, "the checkpoint did not read the header")
    let error = #expect(throws: DatabaseError.self) { try written.get() }
    #expect(error?.resultCode == .SQLITE_BUSY)
    // Lost pages show when the write-ahead log is copied and started anew once more.
    try one.insert(20)
    await one.copyLog()
    try one.insert(1)
    let rows = try await DatabaseQueue(path: folder.path).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM rows WHERE length(content) = 3000")
    }
    #expect(rows == 63)
    #expect(try folder.rows("PRAGMA integrity_check") == [["ok"]])
  }
}

/// Stops a connection's next WAL checkpoint after it has read the header of the write-ahead log,
/// which is when it unmaps its pages.
private enum HeaderReading {
  private static let body = Mutex<(@Sendable () -> Void)?>(nil)

  static func intercept(_ db: Database, _ body: @escaping @Sendable () -> Void) throws {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(
      db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let file, let own = file.pointee.pMethods else {
      throw DatabaseError(resultCode: .SQLITE_ERROR)
    }
    // They must live as long as the file, whose end is unknown here.
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: own.pointee)
    // The answers of a file that can be mapped, but of which nothing is mapped.
    methods.pointee.iVersion = 3
    methods.pointee.xFetch = { _, _, _, page in
      page?.pointee = nil
      return SQLITE_OK
    }
    methods.pointee.xUnfetch = { _, _, _ in
      let body = HeaderReading.body.withLock { body in
        defer { body = nil }
        return body
      }
      body?()
      return SQLITE_OK
    }
    self.body.withLock { $0 = body }
    file.pointee.pMethods = UnsafePointer(methods)
  }
}
