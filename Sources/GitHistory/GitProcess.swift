import Foundation
import LocalFiles

/// One run of git, whose output comes through a pipe.
///
/// Its input and its errors are files, so no other pipe can fill up and block.
final class GitProcess {
  private let process = Process()
  private let output = ProcessStart.alone { Pipe() }
  private let errors: FileHandle

  /// Starts git in a folder.
  ///
  /// - Parameter input: standard input, from the handle's position; nil for an empty one.
  init(
    _ git: GitProgram, _ arguments: [String], in folder: URL, input: FileHandle? = nil
  ) throws(GitError) {
    errors = try ScratchFile.make()
    process.executableURL = git.executable
    process.arguments = GitProgram.options + arguments
    process.currentDirectoryURL = folder
    process.environment = git.environment
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.start()
    } catch {
      throw .cannotRun(reason: error.localizedDescription)
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
      throw .cannotRun(reason: error.localizedDescription)
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

enum ScratchFile {
  /// - Throws: `GitError.cannotRun`.
  static func make() throws(GitError) -> FileHandle {
    do { return try LocalFiles.ScratchFile.make() } catch { throw .cannotRun(reason: "\(error)") }
  }
}
