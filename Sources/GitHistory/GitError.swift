/// Why a repository's history could not be read.
public enum GitError: Error, Equatable, Sendable {
  // When git is started.

  /// Thrown when no folder of `PATH` has a program called git.
  case noGit
  /// Thrown when the system could not start git, or read its output.
  case cannotRun(reason: String)
  /// Thrown when git stopped with an error; `reason` is its message.
  case failed(reason: String)

  // When the repository is opened.

  /// Thrown when git finds no repository at a path, or refuses it; `reason` is git's message, nil
  /// if there is no folder.
  case notARepository(path: String, reason: String?)

  // When a history is read.

  /// Thrown when a path is empty, absolute, or leads out of the repository.
  case notInside(path: String)
  /// Thrown when the repository has no commit of that name.
  case noSuchCommit(String)
  /// Thrown when no commit of the history touched a path.
  case noSuchPath(String, ref: String)
  /// Thrown when a path is a folder throughout the history.
  case isFolder(path: String)
  /// Thrown when the clone is shallow and lacks the beginning of the history.
  case shallow
  /// Thrown when the history of `ref` no longer contains the commit to continue from.
  case rewritten(position: String, ref: String)

  // When the output of git is read.

  /// Thrown when the repository lacks an object: a file's content or, as in a clone without trees,
  /// what leads to it.
  case missing(object: String)
  /// Thrown when the object of a file is not a file's content; the next one can be read.
  case noBlob(_ object: String, kind: String)
  /// Thrown when a file's content is longer than the limit; the next one can be read.
  case tooLarge(blob: String, byteCount: Int)
  /// Thrown when git's output is not as documented.
  case unexpected(String)
}

/// Describes the fault, for people. The program adds the remedy.
extension GitError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noGit: "git is not installed in any folder of PATH"
    case .cannotRun(let reason): "git cannot be run: \(reason)"
    case .failed(let reason): "git failed: \(reason)"
    case .notARepository(let path, let reason):
      "\(path) is not a readable git repository: \(reason ?? "there is no such folder")"
    case .notInside(let path): "'\(path)' does not name a file in the repository"
    case .noSuchCommit(let name): "the repository has no commit '\(name)'"
    case .noSuchPath(let path, let ref): "no commit of \(ref) touched \(path)"
    case .isFolder(let path): "\(path) is a folder"
    case .shallow: "the clone is shallow: the beginning of its history is missing"
    case .rewritten(let position, let ref):
      "the import is at commit \(position), which is not in the history of \(ref)"
    case .missing(let object): "the repository does not hold object \(object)"
    case .noBlob(let object, let kind): "object \(object) is a \(kind), not the content of a file"
    case .tooLarge(let blob, let byteCount): "object \(blob) has \(byteCount) bytes"
    case .unexpected(let text): "git printed an unexpected answer: \(text)"
    }
  }
}
