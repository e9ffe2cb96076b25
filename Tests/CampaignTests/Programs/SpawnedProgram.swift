import Foundation
import TestSupport

/// A process of a built program. Its arguments are bytes, so they can hold any path.
///
/// A test can see whether it has stopped itself, and when it ends. Its output goes to files.
final class SpawnedProgram: @unchecked Sendable {
  // Unchecked because one task owns it.

  enum State: Equatable {
    case running, stopped, ended
  }

  struct Outcome: Sendable {
    /// 128 plus the number of the signal that ended the process, as in shells.
    let exitCode: Int32
    let output: [UInt8]
    let errorText: String
    /// Whether it exceeded its time and was killed.
    let isTimedOut: Bool

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// A user and group to run as.
  struct User: Hashable, Sendable {
    let number: UInt32
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let process: pid_t
  private let captures: URL
  private var status: Int32 = 0
  private(set) var state = State.running
  private var isTimedOut = false

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: its name in this package.
  ///   - folder: the working folder.
  ///   - environment: added to this process's own, without the variables that `listsync` reads.
  ///   - user: nil for the user of this process.
  /// - Throws: `Failure` when the process cannot be started.
  init(
    _ arguments: [[UInt8]], of program: String = "listsync", in folder: URL,
    environment: [String: [UInt8]] = [:], user: User? = nil
  ) throws {
    captures = try TemporaryFolder.make()
    let program = try BuiltProgram.url(program).path
    // Each of these programs replaces itself with the next one, so there is one process.
    var start = ["env", "-C", folder.path]
    if let user {
      start.append(Self.setpriv)
      start += ["--reuid=\(user.number)", "--regid=\(user.number)", "--clear-groups", "--"]
    }
    let words = (start + [program]).map { Array($0.utf8) } + arguments
    let variables = Self.environment.merging(environment) { $1 }
      .map { Array("\($0.key)=".utf8) + $0.value }
    process = try Self.spawn("/usr/bin/env", words, variables, captures)
  }

  deinit {
    if state != .ended {
      kill(-process, SIGKILL)
      waitpid(process, &status, 0)
    }
    try? FileManager.default.removeItem(at: captures)
  }

  /// Waits until the process ends or stops.
  ///
  /// - Returns: `.running` if neither happened in time.
  func wait(seconds: Double) async throws -> State {
    let deadline = Self.now + seconds
    while true {
      if look() != .running || Self.now > deadline { return state }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Lets a stopped process go on.
  func resume() {
    if state == .stopped { state = .running }
    kill(process, SIGCONT)
  }

  /// Kills the process, and waits for its end. A stopped one does nothing more.
  func end() async throws {
    if state == .stopped { state = .running }
    kill(-process, SIGKILL)
    while look() != .ended { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Waits for the end, and kills a process that exceeds its time.
  func outcome(within seconds: Double = 60) async throws -> Outcome {
    if try await wait(seconds: seconds) != .ended {
      isTimedOut = true
      kill(-process, SIGKILL)
      while look() != .ended { try await Task.sleep(for: .milliseconds(1)) }
    }
    // Its child processes must not go on writing either.
    kill(-process, SIGKILL)
    let signal = status & 0x7F
    return Outcome(
      exitCode: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
      output: Array(try Data(contentsOf: captures.appendingPathComponent("out"))),
      errorText: String(
        decoding: try Data(contentsOf: captures.appendingPathComponent("err")), as: UTF8.self),
      isTimedOut: isTimedOut)
  }

  /// Its standard output so far.
  var outputSoFar: [UInt8] {
    (try? Array(Data(contentsOf: captures.appendingPathComponent("out")))) ?? []
  }

  private func look() -> State {
    guard state == .running, waitpid(process, &status, WNOHANG | WUNTRACED) == process else {
      return state
    }
    state = status & 0xFF == 0x7F ? .stopped : .ended
    return state
  }

  /// Runs `listsync` to its end.
  static func run(
    _ arguments: [String], in folder: URL, environment: [String: [UInt8]] = [:]
  ) async throws -> Outcome {
    try await SpawnedProgram(
      arguments.map { Array($0.utf8) }, in: folder, environment: environment
    ).outcome()
  }

  static let setpriv = "/usr/bin/setpriv"

  private static let environment: [String: [UInt8]] = {
    var environment = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("LISTSYNC_") && name != "NO_COLOR"
    }
    // The signal identifies a crash; the backtrace would cost seconds.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment.mapValues { Array($0.utf8) }
  }()

  private static var now: Double { ProcessInfo.processInfo.systemUptime }
}

extension SpawnedProgram {
  private static func spawn(
    _ program: String, _ words: [[UInt8]], _ variables: [[UInt8]], _ captures: URL
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let (reading, writing) = (O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", reading, 0)
    for (number, name) in [(1, "out"), (2, "err")] {
      let path = captures.appendingPathComponent(name).path
      posix_spawn_file_actions_addopen(&actions, Int32(number), path, writing, 0o600)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    var process: pid_t = 0
    let code = withCStrings(words) { words in
      withCStrings(variables) { variables in
        posix_spawn(&process, program, &actions, &attributes, words, variables)
      }
    }
    guard code == 0 else {
      throw Failure(description: "\(program): \(String(cString: strerror(code)))")
    }
    return process
  }

  private static func withCStrings<Result>(
    _ texts: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = texts.map { text in strdup((text + [0]).map { CChar(bitPattern: $0) }) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
