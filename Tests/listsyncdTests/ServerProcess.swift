import Foundation
import TestSupport
import Testing

/// The built `listsyncd`, run as a process of its own on a free port, in a folder that goes when this
/// goes.
final class ServerProcess: Sendable {
  let folder: URL
  private let process: Process
  private let log: URL
  private let output: URL

  /// Starts the program, and does not wait for it.
  ///
  /// - Parameter arguments: beside the store and the port.
  init(_ arguments: [String] = [], folder: URL? = nil, port: Int = 0) throws {
    self.folder = try folder ?? TemporaryFolder.make()
    let name = UUID().uuidString
    log = self.folder.appendingPathComponent("\(name).log")
    output = self.folder.appendingPathComponent("\(name).out")
    for url in [log, output] { try Data().write(to: url) }
    process = Process()
    process.executableURL = try BuiltProgram.url("listsyncd")
    process.arguments = ["--store", "listsync.db", "--port", "\(port)"] + arguments
    process.currentDirectoryURL = self.folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }

  var logText: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

  /// Where the server listens, once it says so.
  func address() async throws -> String {
    let beginning = "listening on "
    var line = ""
    try await eventually("the server listens") {
      line = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      return line.hasPrefix(beginning) && line.hasSuffix("\n") || !process.isRunning
    }
    try #require(line.hasPrefix(beginning), "it ended: \(logText)")
    return line.dropFirst(beginning.count).trimmingCharacters(in: .newlines)
  }

  func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The exit code, once the program has ended.
  func end() async throws -> Int32 {
    try await eventually("the server ends") { !process.isRunning }
    return process.terminationStatus
  }
}

/// Other programs, run by a shell: clients that nobody here wrote.
enum Shell {
  struct Outcome: Sendable {
    let text: String
    let exitCode: Int32
  }

  /// Runs a script to its end.
  static func run(_ script: String, in folder: URL) async throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder
    let url = folder.appendingPathComponent(UUID().uuidString)
    try Data().write(to: url)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: url)
    process.standardError = FileHandle.nullDevice
    try process.run()
    try await eventually("the script ends") { !process.isRunning }
    return Outcome(
      text: try String(contentsOf: url, encoding: .utf8), exitCode: process.terminationStatus)
  }
}
