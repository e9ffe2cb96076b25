import Foundation
import LocalFiles

/// A git repository on this machine: an ordinary clone, a linked worktree or a bare repository,
/// with ids of any kind (SHA-1, SHA-256). It is never written.
public struct GitRepository: Sendable {
  private let git: GitProgram
  private let folder: URL
  /// Whether the clone lacks the beginning of its history.
  public let isShallow: Bool

  /// Finds the repository of a folder, or of a folder above it.
  ///
  /// - Parameter environment: `PATH` names the folders that git may be in; `GIT_…` variables are
  ///   ignored.
  /// - Throws: `GitError.noGit`, `.notARepository`, `.cannotRun`.
  public init(
    at path: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(GitError) {
    git = try GitProgram(environment: environment)
    guard let start = Self.folder(path) else { throw .notARepository(path: path, reason: nil) }
    // Git itself finds it, and refuses a repository that another user owns.
    let search = try GitProcess(
      git, ["rev-parse", "--absolute-git-dir", "--is-shallow-repository"], in: start)
    guard let output = try search.result() else {
      throw .notARepository(path: path, reason: search.errorText())
    }
    // A folder's name may contain line ends; the second answer is the last line.
    let answers = Self.line(output)
    let end = answers.lastIndex(of: "\n") ?? answers.startIndex
    folder = URL(fileURLWithPath: String(answers[..<end]))
    isShallow = answers[end...].hasSuffix("true")
  }

  /// The folder at a path, resolved by the system; nil for anything else.
  private static func folder(_ path: String) -> URL? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    let folder = String(cString: resolved)
    guard FileStatus(path: folder)?.kind == .folder else { return nil }
    return URL(fileURLWithPath: folder, isDirectory: true)
  }

  /// The full id of the commit of a branch, a tag or an abbreviated id.
  ///
  /// - Throws: `GitError.noSuchCommit`.
  public func commit(named name: String) throws(GitError) -> String {
    // Git reads a leading dash as an option; no name has one.
    guard !name.isEmpty, !name.hasPrefix("-") else { throw .noSuchCommit(name) }
    let process = try start(["rev-parse", "--verify", "--quiet", "\(name)^{commit}"])
    guard let output = try process.result() else { throw .noSuchCommit(name) }
    return Self.line(output)
  }

  /// Whether a commit is an ancestor of another, or the same; false if either is missing.
  func isAncestor(_ commit: String, of descendant: String) throws(GitError) -> Bool {
    try start(["merge-base", "--is-ancestor", commit, descendant]).result() != nil
  }

  func start(_ arguments: [String], input: Data = Data()) throws(GitError) -> GitProcess {
    try GitProcess(git, ["--git-dir=\(folder.path)"] + arguments, in: folder, input: input)
  }

  /// The output of a run that must succeed.
  func output(of arguments: [String]) throws(GitError) -> [UInt8] {
    let process = try start(arguments)
    guard let output = try process.result() else { throw process.failure() }
    return output
  }

  /// The lines of the output of a run that must succeed.
  func lines(of arguments: [String]) throws(GitError) -> [String] {
    try output(of: arguments).split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func line(_ bytes: [UInt8]) -> String {
    var text = String(decoding: bytes, as: UTF8.self)
    if text.hasSuffix("\n") { text.removeLast() }
    return text
  }
}
