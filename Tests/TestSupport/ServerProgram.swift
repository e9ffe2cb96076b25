import Foundation
import LocalFiles

/// The built `listsyncd` as a process of its own on a free port, in a folder deleted with this
/// object.
package final class ServerProgram: Sendable {
  package let folder: URL
  private let process: Process
  private let log: URL
  private let output: URL

  /// Starts the program, and does not wait for it.
  ///
  /// - Parameters:
  ///   - arguments: in addition to the store and the port.
  ///   - store: its path relative to the folder.
  ///   - preparation: shell commands before the program starts, such as `ulimit -n 60;`.
  ///   - redirection: the shell's redirection of the program's output, such as `>&-`.
  package init(
    _ arguments: [String] = [], folder: URL? = nil, store: String = "listsync.db", port: Int = 0,
    preparation: String = "", redirection: String = ""
  ) throws {
    self.folder = try folder ?? TemporaryFolder.make()
    let name = UUID().uuidString
    log = self.folder.appendingPathComponent("\(name).log")
    output = self.folder.appendingPathComponent("\(name).out")
    for url in [log, output] { try Data().write(to: url) }
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments =
      ["-c", "\(preparation) exec \"$0\" \"$@\" \(redirection)"]
      + [try BuiltProgram.url("listsyncd").path, "--store", store, "--port", "\(port)"]
      + arguments
    process.currentDirectoryURL = self.folder
    process.standardInput = FileHandle.nullDevice
    let handles = try [output, log].map { try FileHandle(forWritingTo: $0) }
    (process.standardOutput, process.standardError) = (handles[0], handles[1])
    try process.start()
    // A Process keeps them open, also after its end.
    for handle in handles { try handle.close() }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }

  package var logText: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
  /// The text of a file in the folder; empty where there is none.
  package func text(of name: String) throws -> String {
    let url = folder.appendingPathComponent(name)
    guard FileManager.default.fileExists(atPath: url.path) else { return "" }
    return try String(contentsOf: url, encoding: .utf8)
  }

  package var processID: Int32 { process.processIdentifier }
  package var isRunning: Bool { process.isRunning }

  /// The server ended before it listened.
  package struct Ended: Error {
    package let log: String
  }

  /// The server's address, once it prints it.
  package func address() async throws -> String {
    let beginning = "listening on "
    var line = ""
    try await eventually("the server listens") {
      line = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      return line.hasPrefix(beginning) && line.hasSuffix("\n") || !process.isRunning
    }
    guard line.hasPrefix(beginning) else { throw Ended(log: logText) }
    return line.dropFirst(beginning.count).trimmingCharacters(in: .newlines)
  }

  /// The server's port, once it prints it.
  package func port() async throws -> Int {
    let address = try await address()
    guard let port = address.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw Ended(log: "it told the address \(address)")
    }
    return port
  }

  package func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// The exit code, once the program has ended.
  package func end() async throws -> Int32 {
    try await eventually("the server ends") { !process.isRunning }
    return process.terminationStatus
  }
}
