import Foundation

/// Another program of this package that performs some of the verbs.
struct PartnerProgram {
  let name: String

  /// Replaces this process by the program, so that signals and exit codes pass through.
  ///
  /// The program is searched beside this one, then in the folders of `PATH`.
  ///
  /// - Returns: the reason why it could not be started; on success, this never returns.
  func start(_ arguments: [String]) -> VerbError {
    let words = ([name] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let beside = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name).path
    if let beside { execv(beside, words) }
    if beside == nil || errno == ENOENT { execvp(name, words) }
    return .missingProgram(name, at: beside ?? name, reason: String(cString: strerror(errno)))
  }
}
