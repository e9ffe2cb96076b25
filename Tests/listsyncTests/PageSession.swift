import Foundation
import LocalFiles
import TestSupport
import Testing

/// Runs the sessions of one page, in order, in one folder.
///
/// A command is a line that starts with `$ `. A shell runs it, with the built programs in its path.
/// `$ listsyncd … --port 8080 &` starts a server on a free port, to which port 8080 then leads. Any
/// other command that ends in ` &` runs until the end of the page; port 8081 is a free one, too.
/// The folder is beside `ListSync`, the project, whose package for Python is as if installed.
final class PageSession {
  private let page: String
  private let harness: CommandLineHarness
  private let environment: [String: String]
  private var server: ServerProgram?
  private var port: Int?
  private lazy var otherPort = LastingPort.free()
  /// The commands in the background.
  private var jobs: [Process] = []

  init(page: String) throws {
    self.page = page
    harness = try CommandLineHarness()
    let root = harness.folder.deletingLastPathComponent()
    let programs = try BuiltProgram.url("listsync").deletingLastPathComponent().path
    environment = [
      "PATH": programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
      "PYTHONPATH": Project.root.appendingPathComponent("Clients/Python").path,
      "PYTHONDONTWRITEBYTECODE": "1",
    ]
    try FileManager.default.createSymbolicLink(
      at: harness.folder.appendingPathComponent("Examples"),
      withDestinationURL: Project.root.appendingPathComponent("Examples"))
    try FileManager.default.createSymbolicLink(
      at: root.appendingPathComponent("ListSync"), withDestinationURL: Project.root)
  }

  deinit {
    for job in jobs where job.isRunning {
      // timeout leads a group of processes, to which the program belongs that it has started.
      if kill(-job.processIdentifier, SIGKILL) != 0 { kill(job.processIdentifier, SIGKILL) }
    }
  }

  /// Runs the commands of a session, and returns them with what they print.
  ///
  /// The text of a command whose program is not installed stays as it is.
  func run(_ session: Substring) async throws -> String {
    var printed = ""
    for text in session.components(separatedBy: "\n$ ") {
      let text = text.hasPrefix("$ ") ? String(text.dropFirst(2)) : text
      let command = String(text.prefix { $0 != "\n" })
      printed += "$ \(command)\n"
      if let missing = missingProgram(of: command) {
        print("\(page): skipped, since \(missing) is not installed: \(command)")
        printed += text.dropFirst(command.count + 1)
        if !printed.hasSuffix("\n") { printed += "\n" }
      } else {
        printed += try await output(of: command)
      }
    }
    return printed
  }

  private func output(of command: String) async throws -> String {
    if command.hasPrefix("listsyncd "), command.hasSuffix(" &") {
      let server = try ServerProgram(folder: harness.folder)
      self.server = server
      port = try await server.port()
      return "listening on http://127.0.0.1:8080\n"
    }
    // First the page's own text, since the server's port may contain these digits.
    var lived = command
    if lived.contains("8081") {
      lived = lived.replacingOccurrences(of: "8081", with: "\(otherPort)")
    }
    lived = lived.replacingOccurrences(of: ":8080", with: ":\(port ?? 8080)")
    if lived.hasSuffix(" &") {
      try start(String(lived.dropLast(2)))
      return ""
    }
    let outcome = try await harness.run(
      ["-c", lived], environment: environment, program: URL(fileURLWithPath: "/bin/sh"))
    #expect([0, 1, 3, 4, 5].contains(outcome.exitCode), "\(page): \(command): \(outcome)")
    return Self.lasting(outcome.text + outcome.errorText, port: port)
  }

  /// Starts a command as a process of its own. Foundation waits for the end of all processes that
  /// a shell leaves in the background.
  private func start(_ command: String) throws {
    let job = Process()
    job.executableURL = URL(fileURLWithPath: "/bin/sh")
    job.arguments = ["-c", "exec \(command)"]
    job.currentDirectoryURL = harness.folder
    job.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    job.environment?["LISTSYNC_STORE"] = nil
    // The test's own output ends with the test.
    job.standardInput = FileHandle.nullDevice
    job.standardOutput = FileHandle.nullDevice
    job.standardError = FileHandle.nullDevice
    try job.start()
    jobs.append(job)
  }

  /// The output without the parts that differ from run to run.
  private static func lasting(_ output: String, port: Int?) -> String {
    var text = output.replacingOccurrences(of: "\r\n", with: "\n")
      .replacingOccurrences(
        of: "(?m)^(Date|X-Request-Id): .*\n", with: "", options: .regularExpression
      )
      .replacingOccurrences(
        of: "\"request_id\":\"[0-9a-f]*\"", with: "\"request_id\":\"…\"",
        options: .regularExpression
      )
      .replacingOccurrences(of: "made [0-9T:.-]+Z", with: "made …", options: .regularExpression)
    if let port { text = text.replacingOccurrences(of: ":\(port)", with: ":8080") }
    return text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
  }

  /// The first program of a pipeline that is not in the path.
  private func missingProgram(of command: String) -> String? {
    command.components(separatedBy: " | ")
      .compactMap { $0.split(separator: " ").first.map(String.init) }
      .first { program in
        !environment["PATH", default: ""].components(separatedBy: ":")
          .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
      }
  }
}
