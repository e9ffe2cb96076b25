import GRDB
import GRDBSQLite
import Synchronization

/// The WAL checkpoints of a store: a long write-ahead log is copied into the file, only while
/// nobody can write.
///
/// SQLite would do this on the connection that has committed, which no longer holds the writers'
/// lock. Before 3.51.3, another writer may then restart the write-ahead log just as the checkpoint
/// starts, and committed pages are lost (sqlite.org/wal.html, "The WAL-reset bug"). Here the
/// writing connection holds the writers' lock, and another connection copies. When every supported
/// system has SQLite 3.51.3 or newer, SQLite's own checkpoints can replace this class.
final class WALCheckpointer: Sendable {
  /// The number of pages at which a checkpoint is due: 1000, as in SQLite, unless a test sets
  /// another number.
  private let pageLimit = Atomic(1000)
  /// The number of pages in the write-ahead log after the last commit by this store.
  private let pageCount = Atomic(0)
  /// The connection that copies the log into the file.
  let copier: LazyConnection<DatabaseQueue>

  init(path: String) {
    copier = LazyConnection {
      var configuration = StoreConnection.configuration(
        busyTimeoutSeconds: SQLiteStore.busyTimeoutSeconds)
      configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      return try DatabaseQueue(path: path, configuration: configuration)
    }
  }

  func setPageLimit(_ count: Int) { pageLimit.store(count, ordering: .relaxed) }

  /// Counts what a connection commits, and keeps it from running checkpoints of its own.
  ///
  /// The checkpointer must outlive the connection.
  func watch(_ db: Database) {
    let recordPageCount:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, CInt
      ) -> CInt = { context, _, _, pageCount in
        if let context {
          let checkpointer = Unmanaged<WALCheckpointer>.fromOpaque(context).takeUnretainedValue()
          checkpointer.pageCount.store(Int(pageCount), ordering: .relaxed)
        }
        return SQLITE_OK
      }
    // This replaces the hook that runs SQLite's own checkpoints.
    sqlite3_wal_hook(
      db.sqliteConnection, recordPageCount, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Runs a checkpoint if the write-ahead log is long and nobody is writing. If somebody is, or a
  /// reader needs the log, the next commit tries again.
  ///
  /// - Parameter writer: the connection that commits.
  func runIfDue(on writer: any DatabaseWriter) async {
    guard pageCount.load(ordering: .relaxed) >= pageLimit.load(ordering: .relaxed) else { return }
    // The commit is durable in the log already, so this may fail.
    try? await writer.writeWithoutTransaction { db in
      try db.withoutWaiting {
        try db.inTransaction(.immediate) {
          try copier.opened().writeWithoutTransaction {
            _ = try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)")
          }
          return .rollback
        }
      }
    }
  }
}

extension Database {
  /// Runs a body in which a lock of another process causes an error at once.
  func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    let timeout = try Int.fetchOne(self, sql: "PRAGMA busy_timeout") ?? 0
    try execute(sql: "PRAGMA busy_timeout = 0")
    defer { try? execute(sql: "PRAGMA busy_timeout = \(timeout)") }
    return try body()
  }
}
