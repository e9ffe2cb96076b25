import Foundation

/// The installed git, with its environment and settings.
///
/// The result depends only on this package's arguments and the repository's objects. No variable of
/// the user redirects git, and no setting of the repository makes it run another program or use the
/// network.
struct GitProgram: Sendable {
  let executable: URL
  let environment: [String: String]

  /// - Throws: `GitError.noGit`.
  init(environment: [String: String]) throws(GitError) {
    let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    let candidates = folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent("git") }
    guard let executable = candidates.first(where: Self.isProgram) else { throw .noGit }
    self.executable = executable
    self.environment = environment.filter { !$0.key.hasPrefix("GIT_") }
      .merging(Self.ownEnvironment) { $1 }
  }

  private static func isProgram(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: url.path)
  }

  private static let ownEnvironment = [
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    // A partial clone would fetch missing objects, by a command from its configuration.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    // Grafts are an older form of replacements. No file can have this name.
    "GIT_GRAFT_FILE": "/dev/null/none",
  ]

  /// The arguments before those of a run.
  static let options = [
    "--no-pager", "--no-optional-locks", "--no-replace-objects",
    // These would run programs.
    "-c", "core.fsmonitor=false", "-c", "log.showSignature=false",
    // These would change the output.
    "-c", "log.follow=false", "-c", "log.diffMerges=separate", "-c", "log.showRoot=true",
    "-c", "diff.relative=false", "-c", "diff.orderFile=/dev/null",
  ]
}
