import GRDB
import ListStore
import LocalFiles

extension SQLiteStore {
  /// How many pages are copied between two words about the progress.
  private static let copiedPageCount: CInt = 1024

  /// The copy is one file: it has no write-ahead log, until it is opened as a store to be written.
  public func copy(
    to path: String, onProgress: @escaping @Sendable (_ part: Int, _ whole: Int) -> Void
  ) async throws -> any ListStore {
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
    return try SQLiteStore(readingFrom: path)
  }

  /// Brings all that a database holds into its one file.
  private static func leaveLog(_ db: Database) throws {
    // Where that cannot be done, SQLite answers with the mode that it stays in.
    let mode = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
    guard mode == "delete" else {
      throw StoreError.inputOutput(reason: "the copy's log could not be put into its file")
    }
  }

  public func isStored(at path: String) -> Bool {
    guard let own = FileIdentity(path: self.path) else { return false }
    return FileIdentity(path: path) == own
  }
}
