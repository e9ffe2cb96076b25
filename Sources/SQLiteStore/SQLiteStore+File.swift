import GRDB
import ListStore
import LocalFiles

extension SQLiteStore {
  /// The number of pages copied between two calls of `onProgress`.
  private static let copiedPageCount: CInt = 1024

  /// Copies the store into one file, which has no write-ahead log until it is opened for writing.
  public func copy(
    to path: String, onProgress: @escaping @Sendable (_ part: Int, _ whole: Int) -> Void
  ) async throws -> any ListStore {
    let copy: DatabaseQueue
    do {
      // The prefix makes SQLite read any text as the name of a file.
      copy = try DatabaseQueue(path: path.hasPrefix("/") ? path : "./\(path)")
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
    do {
      try await readers().read { source in
        // The transaction stays at one state from the first page that it reads.
        _ = try Row.fetchOne(source, sql: "SELECT 1 FROM lists LIMIT 1")
        try copy.writeWithoutTransaction { destination in
          try source.backup(to: destination, pagesPerStep: Self.copiedPageCount) {
            onProgress($0.completedPageCount, $0.totalPageCount)
          }
        }
      }
      try await copy.writeWithoutTransaction { db in
        // If SQLite cannot copy the log into the file, it returns the mode that stays in force.
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
          throw StoreError.inputOutput(reason: "the copy's log could not be put into its file")
        }
      }
      try copy.close()
    } catch let error as DatabaseError where error.isOfWriting {
      // The store itself is only read.
      throw StoreError.notCopied(place: path, reason: StoreError.reason(ofReading: error))
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
    return try SQLiteStore(readingFrom: path, migrations: schema.migrations)
  }

  public func isStored(at path: String) -> Bool {
    guard let own = FileStatus(path: file.resolved) else { return false }
    return FileStatus(path: path)?.identity == own.identity
  }

  /// Rewrites the file without the space of deleted data. If a reader uses an older state, the file
  /// shrinks only at a WAL checkpoint after this reader has finished.
  public func vacuum() async throws -> VacuumOutcome {
    let file = file
    return try await withoutTransaction { db in
      let before = file.byteCount
      // Also for a file that was made without it, such as a restored dump.
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
      // Only a WAL checkpoint shrinks the file. It does not wait for readers, which may take long.
      let isHeld = try db.withoutWaiting {
        // The first column is 1 if a lock prevented the checkpoint.
        try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") != 0
      }
      return (before, file.byteCount, isHeld)
    }
  }
}

extension DatabaseError {
  /// Whether the system could not write a file, for example for a limit of its size.
  fileprivate var isOfWriting: Bool {
    [.SQLITE_IOERR_WRITE, .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_TRUNCATE].contains(extendedResultCode)
  }
}

extension StorePath {
  /// The number of bytes of the file and its write-ahead log.
  fileprivate var byteCount: Int {
    [resolved, writeAheadLog].reduce(0) { $0 + (FileStatus(path: $1)?.byteCount ?? 0) }
  }
}
