import Foundation
import LocalFiles
import TestSupport

/// A built program that runs until it gets a signal, with its output in files.
final class RunningProgram: Sendable {
  struct EndedEarly: Error, CustomStringConvertible {
    let description: String
  }

  private let process: LockedProcess
  private let folder: URL

  init(
    _ name: String, _ arguments: [String], in workingFolder: URL,
    environment: [String: String] = [:]
  ) throws {
    folder = try TemporaryFolder.make()
    let (outputURL, errorURL) = (
      folder.appendingPathComponent("out"), folder.appendingPathComponent("err")
    )
    for url in [outputURL, errorURL] { try Data().write(to: url) }
    let process = Process()
    process.executableURL = try BuiltProgram.url(name)
    process.arguments = arguments
    process.currentDirectoryURL = workingFolder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: outputURL)
    process.standardError = try FileHandle(forWritingTo: errorURL)
    try process.start()
    self.process = LockedProcess(process)
  }

  deinit {
    process.signal(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  var output: String { text("out") }
  var errorText: String { text("err") }

  private func text(_ name: String) -> String {
    let data = try? Data(contentsOf: folder.appendingPathComponent(name))
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// Waits until the output satisfies a condition.
  ///
  /// - Throws: `EndedEarly` when the program ends and it does not.
  @discardableResult
  func wait(until holds: @Sendable (RunningProgram) -> Bool) async throws -> String {
    var isRunning = true
    try await eventually("the output is as expected, or the program ends") {
      isRunning = process.isRunning
      return holds(self) || !isRunning
    }
    // The output of an ended program is complete.
    guard isRunning || holds(self) else {
      throw EndedEarly(description: "stdout: \(output)\nstderr: \(errorText)")
    }
    return output
  }

  /// Sends a signal, waits for the end, and returns the exit code.
  func end(by signal: Int32) async throws -> Int32 {
    process.signal(signal)
    return try await process.exitCode()
  }

  /// Unchecked because the process is already started, and Foundation then allows any thread to
  /// query it.
  private struct LockedProcess: @unchecked Sendable {
    private let process: Process

    init(_ process: Process) { self.process = process }

    var isRunning: Bool { process.isRunning }

    func signal(_ signal: Int32) {
      if process.isRunning { kill(process.processIdentifier, signal) }
    }

    func exitCode() async throws -> Int32 {
      while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
      let isKilled = process.terminationReason == .uncaughtSignal
      return process.terminationStatus + (isKilled ? 128 : 0)
    }
  }
}

extension CommandLineHarness {
  /// Starts a server on this harness's store, and returns it with its address.
  ///
  /// - Parameter port: its port, also when it is started again.
  func serve(
    _ arguments: String..., port: Int = LastingPort.free()
  ) async throws -> (program: RunningProgram, address: String) {
    let program = try RunningProgram(
      "listsyncd", ["--port", "\(port)", "--store", "listsync.db"] + arguments, in: folder)
    let line = try await program.wait { $0.output.contains("\n") }
    let address = line.split(separator: "\n")[0].split(separator: " ").last.map(String.init)
    return (program, address ?? "")
  }
}
