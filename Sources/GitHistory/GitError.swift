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

  /// Thrown when the repository lacks a file's content.
  case missing(blob: String)
  /// Thrown when a file's content is longer than the limit; the next one can be read.
  case tooLarge(blob: String, byteCount: Int)
  /// Thrown when git's output is not as documented.
  case unexpected(String)
}
