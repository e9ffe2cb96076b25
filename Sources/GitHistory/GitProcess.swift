import Foundation
import LocalFiles

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

/// One run of git, whose output comes through a pipe.
///
/// Its input and its errors are files, so no other pipe can fill up and block.
final class GitProcess {
  private let process = Process()
  private let output = ProcessStart.alone { Pipe() }
  private let errors: FileHandle

  /// Starts git in a folder.
  ///
  /// - Parameter input: the bytes of standard input.
  init(
    _ git: GitProgram, _ arguments: [String], in folder: URL, input: Data = Data()
  ) throws(GitError) {
    do {
      errors = try ScratchFile.make()
      let requests = try ScratchFile.make()
      try requests.write(contentsOf: input)
      try requests.seek(toOffset: 0)
      process.executableURL = git.executable
      process.arguments = GitProgram.options + arguments
      process.currentDirectoryURL = folder
      process.environment = git.environment
      (process.standardInput, process.standardOutput, process.standardError) = (
        requests, output, errors
      )
      try process.start()
    } catch {
      throw .cannotRun(error)
    }
  }

  deinit {
    guard process.isRunning else { return }
    // A child inherits the signal mask of the thread that starts it, which may block other signals.
    // Git only reads here, so ending it leaves no partial work.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The reading end of the output.
  var outputDescriptor: Int32 { output.fileHandleForReading.fileDescriptor }

  /// Reads the output to its end, and waits for the process to end; nil if it failed.
  func result() throws(GitError) -> [UInt8]? {
    do {
      let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return process.terminationStatus == 0 ? Array(bytes) : nil
    } catch {
      throw .cannotRun(error)
    }
  }

  /// The error of a run that failed.
  func failure() -> GitError {
    let reason = errorText()
    // Git may not fetch what a partial clone left out. Some versions put the id in parentheses.
    for words in ["could not fetch ", "unable to read tree "] {
      guard let end = reason.range(of: words)?.upperBound else { continue }
      let object = reason[end...].drop { $0 == "(" }.prefix { $0.isHexDigit }
      return .missing(object: String(object))
    }
    return .failed(reason: reason)
  }

  /// The text on standard error, without trailing line ends.
  func errorText() -> String {
    try? errors.seek(toOffset: 0)
    let bytes = (try? errors.readToEnd()) ?? nil
    return String(decoding: bytes ?? Data(), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension GitError {
  /// An error of the system or of a file.
  fileprivate static func cannotRun(_ error: any Error) -> GitError {
    .cannotRun(reason: (error as? FileError).map { "\($0)" } ?? error.localizedDescription)
  }
}
