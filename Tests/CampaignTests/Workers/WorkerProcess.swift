import Foundation
import LocalFiles
import TestSupport

/// A `CampaignWorker` that runs beside the tests until it ends or is killed.
///
/// Its output comes through a pipe; no other process can hold an end of it open.
struct WorkerProcess {
  /// The moment of the kill.
  enum Kill: Sendable {
    case afterStart(seconds: Double)
    case afterFirstLine(seconds: Double)
  }

  struct Outcome: Sendable {
    let lines: [String]
    let isKilled: Bool
    /// The exit code of a process that was not killed.
    let exitCode: Int32
  }

  /// Ends a process that hangs.
  private static let longestSeconds = 300.0
  private static let program = Result<URL, BuiltProgram.NotFound> {
    () throws(BuiltProgram.NotFound) in try BuiltProgram.url("CampaignWorker")
  }

  private let process = Process()
  private let output: Int32
  private let moment: Kill?
  private var bytes: [UInt8] = []

  /// Runs a worker to its end, on a thread of its own.
  static func run(_ arguments: [String], kill: Kill? = nil) async throws -> Outcome {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            var worker = try WorkerProcess(arguments, kill: kill)
            return worker.finish()
          })
      }
    }
  }

  private init(_ arguments: [String], kill: Kill?) throws {
    moment = kill
    var ends: [Int32] = [0, 0]
    guard ProcessStart.alone({ pipe(&ends) }) == 0 else { throw POSIXError(.EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    output = ends[0]
    let input = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    process.executableURL = try Self.program.get()
    process.arguments = arguments
    process.standardOutput = input
    process.standardInput = FileHandle.nullDevice
    process.environment = ProcessInfo.processInfo.environment.merging([
      "SWIFT_BACKTRACE": "enable=no"
    ]) { $1 }
    try process.start()
    try input.close()
  }

  private mutating func finish() -> Outcome {
    defer { close(output) }
    var deadline = Self.now + Self.longestSeconds
    if case .afterStart(let seconds) = moment { deadline = Self.now + seconds }
    var hasSpoken = false
    var wasRunning = true
    while true {
      // After the end of the process, all its output is in the pipe.
      wasRunning = process.isRunning
      let isSilent = !take()
      if !hasSpoken, bytes.contains(UInt8(ascii: "\n")) {
        hasSpoken = true
        if case .afterFirstLine(let seconds) = moment { deadline = Self.now + seconds }
      }
      if isSilent, !wasRunning { break }
      if Self.now >= deadline, wasRunning { kill(process.processIdentifier, SIGKILL) }
      if isSilent { pause(until: deadline) }
    }
    return Outcome(
      lines: String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init),
      isKilled: process.terminationReason == .uncaughtSignal
        && process.terminationStatus == SIGKILL,
      exitCode: process.terminationStatus)
  }

  /// Reads the bytes in the pipe; false if there are none.
  private mutating func take() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(output, &buffer, buffer.count)
    if count > 0 { bytes += buffer.prefix(count) }
    return count > 0
  }

  /// Waits for the next word or the deadline, but only some milliseconds.
  private func pause(until deadline: Double) {
    let seconds = min(0.005, max(0.0001, deadline - Self.now))
    if process.isRunning, seconds > 0.001 {
      var event = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      _ = poll(&event, 1, Int32(seconds * 1000))
      if event.revents & Int16(POLLIN) != 0 { return }
    }
    usleep(100)
  }

  private static var now: Double { ProcessInfo.processInfo.systemUptime }
}
