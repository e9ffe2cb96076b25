import Foundation

/// A program that belongs to this one, and does some of its verbs.
struct PartnerProgram {
  let name: String

  /// Becomes the program: it keeps the process, so that signals and exit codes pass.
  ///
  /// It is looked for beside this program, then in the folders of `PATH`.
  ///
  /// - Returns: why it could not be started; when it could, this never returns.
  func start(_ arguments: [String]) -> MissingProgram {
    let words = ([name] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let beside = Self.folder?.appendingPathComponent(name).path
    if let beside, execv(beside, words) != 0, errno != ENOENT { return missing(beside, errno) }
    execvp(name, words)
    return missing(beside ?? name, errno)
  }

  /// Where this program is, links followed.
  private static var folder: URL? {
    Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
  }

  private func missing(_ place: String, _ code: Int32) -> MissingProgram {
    MissingProgram(name: name, place: place, reason: String(cString: strerror(code)))
  }
}

/// A program that belongs to this one cannot be started.
struct MissingProgram: Error {
  let name: String
  /// Where it should be.
  let place: String
  let reason: String
}
