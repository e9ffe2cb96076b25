import Foundation
import LocalFiles
import TestSupport

/// Third-party programs, run by a shell.
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
    try process.start()
    try await eventually("the script ends") { !process.isRunning }
    return Outcome(
      text: try String(contentsOf: url, encoding: .utf8), exitCode: process.terminationStatus)
  }

  /// Runs the built `listsync`, which must succeed, and returns its output.
  static func listsync(_ arguments: String, in folder: URL) async throws -> String {
    let program = try BuiltProgram.url("listsync").path
    let outcome = try await run("'\(program)' \(arguments)", in: folder)
    guard outcome.exitCode == 0 else { throw Failure(arguments: arguments, outcome: outcome) }
    return outcome.text.trimmingCharacters(in: .newlines)
  }

  struct Failure: Error {
    let arguments: String
    let outcome: Outcome
  }
}
