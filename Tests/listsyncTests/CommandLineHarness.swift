import Foundation
import LocalFiles
import TestSupport
import Testing

/// Runs the built `listsync` as a process in a folder that is removed with this object.
///
/// Output goes to files, since a pipe can fill up and block, or be held open by another process
/// that starts at the same moment.
final class CommandLineHarness: Sendable {
  /// The working folder of every run; the store is `listsync.db` in it.
  let folder: URL
  private let captures: URL

  init() throws {
    let root = try TemporaryFolder.make()
    folder = root.appendingPathComponent("work")
    captures = root.appendingPathComponent("captures")
    for url in [folder, captures] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

  /// The result of a run.
  struct Outcome: Sendable, CustomStringConvertible {
    let output: [UInt8]
    let errorText: String
    /// After a signal, 128 plus its number, as shells report it.
    let exitCode: Int32
    /// The peak memory of the process; nil when it was not measured.
    var peakByteCount: Int?

    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(output)) }

    var description: String { "exit \(exitCode)\nstdout: \(text)\nstderr: \(errorText)" }
  }

  /// Runs `listsync` until it ends.
  ///
  /// - Parameters:
  ///   - input: standard input.
  ///   - environment: added to this process's own without `LISTSYNC_STORE` and `NO_COLOR`.
  ///   - inputPath: a file as standard input instead.
  ///   - isMeasured: whether to measure the memory, which needs a second process.
  ///   - outputPath: a file for standard output, which is then not in the outcome.
  ///   - killSeconds: the time after which the process gets SIGKILL.
  ///   - program: another program instead, which is not measured.
  func run(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:],
    inputPath: String? = nil, outputPath: String? = nil, isMeasured: Bool = false,
    killSeconds: Double = Hang.seconds, program: URL? = nil
  ) async throws -> Outcome {
    let name = UUID().uuidString
    let (emptyURL, errorURL) = (capture(name, "in"), capture(name, "err"))
    let inputURL = inputPath.map { URL(fileURLWithPath: $0) } ?? emptyURL
    let outputURL = outputPath.map { URL(fileURLWithPath: $0) } ?? capture(name, "out")
    if inputPath == nil { try Data(input).write(to: inputURL) }
    try Data().write(to: errorURL)
    if outputPath == nil { try Data().write(to: outputURL) }

    let process = Process()
    let useURL = capture(name, "use")
    process.executableURL = try program ?? (isMeasured ? Self.measuring : Self.binary).get()
    process.arguments =
      try isMeasured
      ? ["measure", "--result", useURL.path, "--", Self.binary.get().path] + arguments : arguments
    process.currentDirectoryURL = folder
    process.environment = Self.environment.merging(environment) { $1 }
    let handles = [
      try FileHandle(forReadingFrom: inputURL), try FileHandle(forWritingTo: outputURL),
      try FileHandle(forWritingTo: errorURL),
    ]
    (process.standardInput, process.standardOutput, process.standardError) = (
      handles[0], handles[1], handles[2]
    )
    defer { for handle in handles { try? handle.close() } }
    try await Self.finish(process, killSeconds: killSeconds)
    let isKilled = process.terminationReason == .uncaughtSignal
    let use =
      isMeasured
      ? try JSONDecoder().decode(MeasuredUse.self, from: Data(contentsOf: useURL)) : nil
    return Outcome(
      output: outputPath == nil ? Array(try Data(contentsOf: outputURL)) : [],
      errorText: String(decoding: try Data(contentsOf: errorURL), as: UTF8.self),
      exitCode: use?.status ?? process.terminationStatus + (isKilled ? 128 : 0),
      peakByteCount: use?.peakByteCount)
  }

  /// The result of `StoreBenchmarks measure`. A small parent measures the memory correctly.
  private struct MeasuredUse: Decodable {
    let peakByteCount: Int
    let status: Int32
  }

  private static func finish(_ process: Process, killSeconds: Double) async throws {
    let killing = DispatchWorkItem {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    defer { killing.cancel() }
    try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do {
        try process.start()
        DispatchQueue.global().asyncAfter(deadline: .now() + killSeconds, execute: killing)
      } catch {
        process.terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
  }

  private func capture(_ name: String, _ ending: String) -> URL {
    captures.appendingPathComponent("\(name).\(ending)")
  }

  private static let binary = Result<URL, BuiltProgram.NotFound> {
    () throws(BuiltProgram.NotFound) in try BuiltProgram.url("listsync")
  }

  private static let measuring = Result<URL, BuiltProgram.NotFound> {
    () throws(BuiltProgram.NotFound) in try BuiltProgram.url("StoreBenchmarks")
  }

  private static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    environment["LISTSYNC_STORE"] = nil
    environment["NO_COLOR"] = nil
    // The signal reveals a crash; a backtrace would take seconds.
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment
  }()
}

extension CommandLineHarness {
  func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await run(arguments, input: Array(input.utf8), environment: environment)
  }

  /// Runs `listsync` and requires exit code 0.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Outcome {
    let outcome = try await run(arguments, input: Array(input.utf8))
    try #require(
      outcome.exitCode == 0, "\(arguments.joined(separator: " "))\n\(outcome)",
      sourceLocation: sourceLocation)
    return outcome
  }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url(name)) }

  /// The names of the files in the folder.
  func fileNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// The files except those of an empty WAL, which SQLite may leave after reading a store. The
  /// content of a WAL is among the store's bytes.
  func lastingFileNames() throws -> [String] {
    try fileNames().filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") }
  }

  /// The bytes of the store's file and of its WAL. A missing file has no bytes.
  func storeBytes(_ name: String = "listsync.db") -> [Data] {
    [name, name + "-wal"].map { (try? Data(contentsOf: url($0))) ?? Data() }
  }

  /// A store with the list `parks`: version 1 is `Examples/parks-before.json`, version 2
  /// `parks-after.json`.
  static func withParks() async throws -> CommandLineHarness { try await parks.harness() }

  private static let parks = PreparedStore { harness in
    for (name, message) in [("parks-before", "First list"), ("parks-after", "Spring update")] {
      let path = Example.url("\(name).json").path
      try await harness.succeed("commit", "parks", path, "-m", message)
    }
  }
}

/// A store with which several tests begin. `listsync` makes it once, and each test gets a copy.
struct PreparedStore: Sendable {
  private let bytes: Task<Data, any Error>

  /// - Parameter prepare: writes `listsync.db` in the harness's folder.
  init(_ prepare: @escaping @Sendable (CommandLineHarness) async throws -> Void) {
    bytes = Task {
      let harness = try CommandLineHarness()
      try await prepare(harness)
      return try Data(contentsOf: harness.url("listsync.db"))
    }
  }

  /// A new harness whose folder has a copy of the store, and nothing else.
  func harness() async throws -> CommandLineHarness {
    let harness = try CommandLineHarness()
    try await bytes.value.write(to: harness.url("listsync.db"))
    return harness
  }
}

/// The example lists of the project.
enum Example {
  static func url(_ path: String) -> URL {
    Project.root.appendingPathComponent("Examples").appendingPathComponent(path)
  }

  static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: url(path))) }
}
