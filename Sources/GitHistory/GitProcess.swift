import Foundation

/// One run of git, whose output is read through a pipe as it comes.
///
/// Its input and its errors are files, so that no pipe but the one can fill up and block.
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
    // A softer signal may be blocked: a child takes over the mask of the thread that starts it. Git
    // only reads here, so that nothing is left half done.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Where the output is read.
  var outputDescriptor: Int32 { output.fileHandleForReading.fileDescriptor }

  /// Reads the output to its end.
  func allOutput() throws(GitError) -> [UInt8] {
    do {
      return Array(try output.fileHandleForReading.readToEnd() ?? Data())
    } catch {
      throw .cannotRun(reason: error.localizedDescription)
    }
  }

  /// Waits for the end, once the output has been read.
  func exitCode() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What git has said on standard error, without the line ends behind it.
  func errorText() -> String {
    try? errors.seek(toOffset: 0)
    let bytes = (try? errors.readToEnd()) ?? nil
    return String(decoding: bytes ?? Data(), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

enum ScratchFile {
  /// Makes an empty file without a name, which goes when the handle goes.
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
