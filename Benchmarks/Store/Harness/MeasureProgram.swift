import ArgumentParser
import Foundation

/// Runs a program from a small process, and records its time and memory.
///
/// Linux never reports a child's peak memory as less than its parent's memory at the start. So the
/// process with a million items in memory must not be the parent.
struct MeasureProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Runs a program and reports its time and memory.",
    shouldDisplay: false)

  @Option(help: "Where the result is written, as JSON.") var result: String
  @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
  var command: [String]

  func run() throws {
    let words = Array(command.drop { $0 == "--" })
    let start = Clock.wallSeconds()
    let process = try spawn(words)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw POSIXError(.ECHILD) }
    }
    let use = ProcessUse(
      wallSeconds: Clock.wallSeconds() - start,
      cpuSeconds: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime),
      peakByteCount: Self.peakByteCount(usage),
      status: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
    try JSONEncoder().encode(use).write(to: URL(fileURLWithPath: result))
  }

  private func spawn(_ words: [String]) throws -> pid_t {
    let arguments = words.map { strdup($0) } + [nil]
    let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process = pid_t()
    let code = posix_spawnp(&process, arguments[0]!, nil, nil, arguments, environment)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
    return process
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static func peakByteCount(_ usage: rusage) -> Int {
    #if os(Linux)
      Int(usage.ru_maxrss) * 1024
    #else
      Int(usage.ru_maxrss)
    #endif
  }
}

/// The time and memory of a whole process.
struct ProcessUse: Codable {
  let wallSeconds: Double
  let cpuSeconds: Double
  let peakByteCount: Int
  let status: Int32

  var cost: Cost { Cost(wallSeconds: wallSeconds, cpuSeconds: cpuSeconds) }
}
