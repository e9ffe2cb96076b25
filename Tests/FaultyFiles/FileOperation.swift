import GRDBSQLite

/// What SQLite asks of a file system, as far as it is counted and can be made to fail.
public enum FileOperation: CaseIterable, Hashable, Sendable {
  case open, read, write, sync, truncate, delete
  /// The shared memory of a write-ahead log is made, or made longer.
  case growSharedMemory

  /// The result of one that failed for no reason that it names.
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

  // The extended codes are macros that Swift does not import.
  private static let inputOutput = SQLITE_IOERR
}

extension Set<FileOperation> {
  public static var all: Set { Set(FileOperation.allCases) }
  /// Those that change what is on the disk, or prepare for it.
  public static var changing: Set { all.subtracting([.read]) }
}
