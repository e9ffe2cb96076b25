import GRDB
import GRDBSQLite
import ListStore

extension StoreError {
  /// Translates an error of SQLite in a store that is in use. The text never contains bound values.
  init(_ error: DatabaseError) {
    let reason = Self.reason(of: error)
    if error.lacksRoomForSharedMemory {
      self = .diskFull
      return
    }
    switch error.resultCode {
    // "Protocol" means that the locks of the log were not free for ten seconds.
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: self = .busy
    case .SQLITE_FULL: self = .diskFull
    case .SQLITE_IOERR: self = .inputOutput(reason: reason)
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: self = .readOnly(reason: reason)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(reason: reason)
    // Writers follow the rows that they have read, so only a damaged row contradicts a new one.
    case .SQLITE_CONSTRAINT: self = .corrupt(reason: reason)
    // Statements contain no user input, so these messages mean that the schema is damaged.
    case .SQLITE_ERROR
    where ["no such table", "no such column", "unknown function"].contains { reason.hasPrefix($0) }:
      self = .corrupt(reason: reason)
    default: self = .database(reason: reason)
    }
  }

  /// Translates an error of SQLite while a store is opened.
  init(opening store: String, _ error: DatabaseError) {
    switch error.resultCode {
    case .SQLITE_NOTADB: self = .notADatabase(store: store)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
      self = .cannotOpen(store: store, reason: Self.reason(of: error))
    default: self.init(error)
    }
  }

  static func reason(ofReading error: any Error) -> String {
    switch error {
    case StoreError.corrupt(let reason): reason
    case let error as DatabaseError: Self.reason(of: error)
    default: "\(error)"
    }
  }

  /// Returns SQLite's message, with the code that identifies the failed operation.
  ///
  /// For a failed copy, GRDB may give the message of the connection that did not fail. Then the
  /// general message of the code is used.
  private static func reason(of error: DatabaseError) -> String {
    let code = error.extendedResultCode.rawValue
    let general = String(cString: sqlite3_errstr(code))
    let isVague =
      error.message == nil || error.message == String(cString: sqlite3_errstr(SQLITE_OK))
    return "\(isVague ? general : error.message ?? general) (SQLite code \(code))"
  }
}

extension DatabaseError {
  /// Whether the disk has no room for the file of 32 kB in which connections share the index of the
  /// write-ahead log.
  var lacksRoomForSharedMemory: Bool { extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}
