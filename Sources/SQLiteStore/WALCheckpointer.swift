import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the file, which SQLite calls a checkpoint, after commits that
/// leave it long; and only while nobody can write.
///
/// SQLite's own way is to do so on the connection that has committed, when that one holds nothing
/// that keeps others from writing. Before 3.51.3 the log may then be begun anew by another writer
/// in the moment in which the checkpoint starts, and committed pages are lost
/// (sqlite.org/wal.html, "The WAL-reset bug"). Here the writing connection holds the lock of
/// writers, and another connection copies.
final class WALCheckpointer: Sendable {
  /// How many pages the log may have: as many as SQLite's own checkpoints let it have.
  static let standardPageLimit = 1000

  private let path: String
  private let pageLimit = Mutex(standardPageLimit)
  /// The pages in the log after the last commit by this store.
  private let pageCount = Mutex(0)
  /// The connection that copies; opened for the first checkpoint.
  private let connection = Mutex<DatabaseQueue?>(nil)

  init(path: String) { self.path = path }

  func setPageLimit(_ count: Int) { pageLimit.withLock { $0 = count } }

  /// Takes note of what a connection commits, and keeps it from running checkpoints of its own.
  ///
  /// The checkpointer must outlive the connection.
  func watch(_ db: Database) {
    let note:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, CInt
      ) -> CInt = { context, _, _, pageCount in
        if let context {
          let checkpointer = Unmanaged<WALCheckpointer>.fromOpaque(context).takeUnretainedValue()
          checkpointer.pageCount.withLock { $0 = Int(pageCount) }
        }
        return SQLITE_OK
      }
    // SQLite has one hook, which is what its own checkpoints are made with.
    sqlite3_wal_hook(db.sqliteConnection, note, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Runs a checkpoint where the log is long and nobody is writing. Where somebody is, or a reader
  /// needs the log, the next commit tries again.
  ///
  /// - Parameter writer: the connection that commits are made with.
  func runIfDue(on writer: any DatabaseWriter) async {
    let limit = pageLimit.withLock { $0 }
    guard pageCount.withLock({ $0 }) >= limit else { return }
    // What was committed is in the log. That it is not yet in the file, too, is no failure.
    try? await writer.writeWithoutTransaction { db in
      try db.withoutWaiting {
        try db.inTransaction(.immediate) {
          try self.copyLog()
          return .rollback
        }
      }
    }
  }

  private func copyLog() throws {
    try withConnection { copier in
      try copier.writeWithoutTransaction {
        _ = try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)")
      }
    }
  }

  /// The connection that copies, made where there is none yet.
  func withConnection<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
    try connection.withLock { connection in
      let copier = try connection ?? makeConnection()
      connection = copier
      return try body(copier)
    }
  }

  private func makeConnection() throws -> DatabaseQueue {
    var configuration = StoreConnection.configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return try DatabaseQueue(path: path, configuration: configuration)
  }
}

extension Database {
  /// Runs a body in which a lock that another process holds is an error at once.
  func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    let timeout = try Int.fetchOne(self, sql: "PRAGMA busy_timeout") ?? 0
    try execute(sql: "PRAGMA busy_timeout = 0")
    defer { try? execute(sql: "PRAGMA busy_timeout = \(timeout)") }
    return try body()
  }
}
