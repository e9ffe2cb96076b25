import Foundation

/// One run of git, whose output comes through a pipe.
///
/// Its input and its errors are files, so no other pipe can fill up and block.
final class GitProcess {
  private let process = Process()
  private let output = Pipe()
  private let errors: FileHandle

  init(
    _ executable: URL, _ arguments: [String], in folder: URL, environment: [String: String],
    input: FileHandle?
  ) throws(GitError) {
    errors = try ScratchFile.make()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = environment
    process.standardInput = input ?? FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      throw .cannotRun(reason: error.localizedDescription)
    }
  }

  deinit {
    guard process.isRunning else { return }
    // A child inherits the signal mask of the thread that starts it, which may block other signals.
    // Git only reads here, so nothing is left half done.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The reading end of the output.
  var outputDescriptor: Int32 { output.fileHandleForReading.fileDescriptor }

  /// Reads the output to its end.
  func allOutput() throws(GitError) -> [UInt8] {
    do {
      return Array(try output.fileHandleForReading.readToEnd() ?? Data())
    } catch {
      throw .cannotRun(reason: error.localizedDescription)
    }
  }

  /// Waits for the process to end. Read the output first.
  func exitCode() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
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
  /// Creates an empty file without a name, which is deleted with its handle.
  static func make() throws(GitError) -> FileHandle {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("listsync-XXXXXX").path
    var name = Array(path.utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else {
      throw .cannotRun(reason: "no temporary file: \(String(cString: strerror(errno)))")
    }
    unlink(name)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
