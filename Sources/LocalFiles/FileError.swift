/// Why a file was not written.
package enum FileError: Error, Equatable, CustomStringConvertible {
  /// Thrown when a file exists and must not be replaced.
  case alreadyThere(path: String)
  /// Thrown when a database's log lies beside the file: SQLite would replay it into the new file.
  case logIsThere(path: String, log: String)
  /// Thrown when a document would replace a database.
  case isDatabase(path: String)
  /// Thrown when the file cannot be created, or is of another kind.
  case cannotOpen(path: String, reason: String)
  /// Thrown when the system could not write the file.
  case inputOutput(path: String, reason: String)

  package var description: String {
    switch self {
    case .alreadyThere(let path): "\(path) is there already"
    case .logIsThere(let path, let log): "\(path) is not replaced: its log \(log) is there"
    case .isDatabase(let path): "\(path) is not replaced: it is a database, or belongs to one"
    case .cannotOpen(let path, let reason), .inputOutput(let path, let reason):
      "cannot write \(path): \(reason)"
    }
  }
}
