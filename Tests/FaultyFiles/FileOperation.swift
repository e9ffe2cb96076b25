import GRDBSQLite

/// An operation of SQLite on a file system that can be counted and made to fail.
public enum FileOperation: CaseIterable, Hashable, Sendable {
  case open, read, write, sync, truncate, delete
  /// Creates or extends the shared memory of a write-ahead log.
  case growSharedMemory

  /// The result code of a failure without a special reason.
  public var failureCode: CInt {
    switch self {
    case .open: SQLITE_CANTOPEN
    case .read: Self.inputOutput | 1 << 8
    case .write: Self.inputOutput | 3 << 8
    case .sync: Self.inputOutput | 4 << 8
    case .truncate: Self.inputOutput | 6 << 8
    case .delete: Self.inputOutput | 10 << 8
    case .growSharedMemory: Self.inputOutput | 19 << 8
    }
  }

  // The extended codes are macros, which Swift does not import.
  private static let inputOutput = SQLITE_IOERR
}

extension Set<FileOperation> {
  public static var all: Set { Set(FileOperation.allCases) }
  /// The operations that change the disk, or prepare a change.
  public static var changing: Set { all.subtracting([.read]) }
}
