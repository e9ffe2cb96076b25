import GRDB

extension StoreError {
  /// What SQLite reports while a store is in use. Bound values never enter the text.
  init(_ error: DatabaseError) {
    let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy
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
      self = .cannotOpen(path: path, reason: error.message ?? "the system refused it")
    default: self.init(error)
    }
  }
}
