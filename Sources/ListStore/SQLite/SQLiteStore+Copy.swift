import GRDB
import LocalFiles

extension SQLiteStore {
  /// How many pages are copied between two words about the progress.
  private static let copiedPageCount: CInt = 1024

  /// Copies the store, as it stands at one moment, into a file that is not there yet. Others go on
  /// reading and writing it.
  ///
  /// The copy is one file: it has no write-ahead log, until it is opened as a store to be written.
  ///
  /// - Parameter onProgress: called with the number of pages that are copied, and of all.
  public func copy(
    to path: String, onProgress: @escaping @Sendable (_ part: Int, _ whole: Int) -> Void
  ) async throws {
    let copy: DatabaseQueue
    do {
      // A name is that of a file, whatever SQLite makes of it.
      copy = try DatabaseQueue(path: path.hasPrefix("/") ? path : "./\(path)")
    } catch let error as DatabaseError {
      throw StoreError(opening: path, error)
    }
    do {
      try await readers().read { source in
        // The transaction stands at one state from the first page that it reads.
        _ = try Row.fetchOne(source, sql: "SELECT 1 FROM lists LIMIT 1")
        try copy.writeWithoutTransaction { destination in
          try source.backup(to: destination, pagesPerStep: Self.copiedPageCount) {
            onProgress($0.completedPageCount, $0.totalPageCount)
          }
        }
      }
      try await copy.writeWithoutTransaction(Self.leaveLog)
      try copy.close()
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }

  /// Brings all that a database holds into its one file.
  private static func leaveLog(_ db: Database) throws {
    // Where that cannot be done, SQLite answers with the mode that it stays in.
    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
    guard mode == "delete" else {
      throw StoreError.inputOutput(reason: "the copy's log could not be put into its file")
    }
  }

  /// Whether a file is this store's own.
  public func isStored(at path: String) -> Bool {
    guard let own = FileIdentity(path: self.path) else { return false }
    return FileIdentity(path: path) == own
  }
}
