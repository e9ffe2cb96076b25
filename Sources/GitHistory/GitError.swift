/// Why a repository's history could not be read.
public enum GitError: Error, Equatable, Sendable {
  // When git is started.

  /// Thrown when no folder of `PATH` has a program called git.
  case noGit
  /// Thrown when the system would not start git, or read what it says.
  case cannotRun(reason: String)
  /// Thrown when git stopped with an error; `reason` is what it said.
  case failed(reason: String)

  // When the repository is opened.

  /// Thrown when git finds no repository at a path, or refuses the one there; `reason` is what git
  /// said, nil where there is no folder.
  case notARepository(path: String, reason: String?)

  // When a history is asked for.

  /// Thrown when a path is empty, absolute, or leads out of the repository.
  case notInside(path: String)
  /// Thrown when the repository has no commit of that name.
  case noSuchCommit(String)
  /// Thrown when no commit of the history touched the path.
  case noSuchPath(String, ref: String)
  /// Thrown when the path is a folder wherever the history has it.
  case isFolder(path: String)
  /// Thrown when the clone is shallow, so that the history's beginning is missing.
  case shallow
  /// Thrown when the history of `ref` no longer holds the commit that it is to go on from.
  case rewritten(position: String, ref: String)

  // When what git says is read.

  /// Thrown when the repository does not hold a file's content.
  case missing(blob: String)
  /// Thrown when a file's content is longer than the reader was to take; the next one can be read.
  case tooLarge(blob: String, byteCount: Int)
  /// Thrown when git answers with something else than its documentation says.
  case unexpected(String)
}
