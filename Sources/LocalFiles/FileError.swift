/// Why a file was not written.
package enum FileError: Error, Equatable, CustomStringConvertible {
  /// Thrown when a file is there and is not to be replaced.
  case alreadyThere(path: String)
  /// Thrown when a log of a database lies beside the file: SQLite would play it into the new one.
  case logIsThere(path: String, log: String)
  /// Thrown when the file cannot be made, or is none that can be written so.
  case cannotOpen(path: String, reason: String)
  /// Thrown when the system could not write the file.
  case inputOutput(path: String, reason: String)

  package var description: String {
    switch self {
    case .alreadyThere(let path): "\(path) is there already"
    case .logIsThere(let path, let log): "\(path) is not replaced: its log \(log) is there"
    case .cannotOpen(let path, let reason), .inputOutput(let path, let reason):
      "cannot write \(path): \(reason)"
    }
  }
}
