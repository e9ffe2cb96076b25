import GRDB
import GRDBSQLite
import ListStore

extension StoreError {
  /// What SQLite reports while a store is in use. Bound values never enter the text.
  init(_ error: DatabaseError) {
    let reason = Self.reason(of: error)
    if error.lacksRoomForSharedMemory {
      self = .diskFull
      return
    }
    switch error.resultCode {
    // "Protocol" is what SQLite says when the locks of the log were not free for ten seconds.
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: self = .busy
    case .SQLITE_FULL: self = .diskFull
    case .SQLITE_IOERR: self = .inputOutput(reason: reason)
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: self = .readOnly(reason: reason)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(reason: reason)
    default: self = .database(reason: reason)
    }
  }

  /// What SQLite reports while a store is opened.
  init(opening path: String, _ error: DatabaseError) {
    switch error.resultCode {
    case .SQLITE_NOTADB: self = .notADatabase(path: path)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
      self = .cannotOpen(path: path, reason: Self.reason(of: error))
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

  /// What SQLite says, with the number that tells which operation failed.
  ///
  /// Of a copy GRDB may report a failure with the text of the connection that had none.
  private static func reason(of error: DatabaseError) -> String {
    let code = error.extendedResultCode.rawValue
    let general = String(cString: sqlite3_errstr(code))
    let isVague =
      error.message == nil || error.message == String(cString: sqlite3_errstr(SQLITE_OK))
    return "\(isVague ? general : error.message ?? general) (SQLite code \(code))"
  }
}

extension DatabaseError {
  /// Whether there is no room for the file of 32 kB in which the connections to a store keep the
  /// index of its log.
  var lacksRoomForSharedMemory: Bool { extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}
