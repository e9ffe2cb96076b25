import GRDB

extension StoreError {
  /// What SQLite reports while the store at a path is in use. Bound values never enter the text.
  init(_ error: DatabaseError, at path: String) {
    let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_CORRUPT where error.extendedResultCode.rawValue == ChecksumFile.wrongChecksum:
      let page = DamageLog.page(in: ChecksumVFS.fullPath(path))
      self = .corrupt(reason: page?.reason(path: path) ?? Self.unnamedPage)
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
    default: self.init(error, at: path)
    }
  }

  /// Why something in the store could not be read: for those who go on to the next.
  package static func reason(ofReading error: any Error) -> String {
    switch error {
    case StoreError.corrupt(let reason): reason
    case let error as DatabaseError
    where error.extendedResultCode.rawValue == ChecksumFile.wrongChecksum:
      "what it needs lies on a damaged page"
    case let error as DatabaseError: error.message ?? "\(error.extendedResultCode)"
    default: "\(error)"
    }
  }

  private static let unnamedPage = "a page does not have the checksum it was written with"
}
