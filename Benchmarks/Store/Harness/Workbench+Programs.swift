import Foundation

/// A program that failed, with its output.
struct ProgramFailed: Error, CustomStringConvertible {
  let command: [String]
  let status: Int32
  let message: String

  var description: String {
    "\(command.joined(separator: " ")): status \(status)\n\(message)"
  }
}

extension Workbench {
  /// Runs a program to its end.
  ///
  /// - Parameter output: where its standard output goes; nil for nowhere.
  /// - Throws: `ProgramFailed` when it says so.
  @discardableResult
  func run(
    _ command: [String], store: String? = nil, input: String? = nil, output: String? = nil
  ) throws -> ProcessUse {
    let (result, errors) = (newPath("use.json"), newPath("errors.txt"))
    let launcher = Process()
    launcher.executableURL = URL(fileURLWithPath: Self.ownPath)
    launcher.arguments = ["measure", "--result", result, "--"] + command
    if let store {
      let variables = ["LISTSYNC_STORE": store]
      launcher.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }
    launcher.standardInput =
      try input.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) }
      ?? FileHandle.nullDevice
    launcher.standardOutput = try output.map(Self.newFile) ?? FileHandle.nullDevice
    launcher.standardError = try Self.newFile(errors)
    try launcher.run()
    launcher.waitUntilExit()
    let message = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
    guard launcher.terminationStatus == 0 else {
      throw ProgramFailed(
        command: command, status: launcher.terminationStatus, message: message)
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: result))
    let use = try JSONDecoder().decode(ProcessUse.self, from: data)
    for path in [result, errors] { try? FileManager.default.removeItem(atPath: path) }
    guard use.status == 0 else {
      throw ProgramFailed(command: command, status: use.status, message: message)
    }
    return use
  }

  @discardableResult
  func listsync(
    _ arguments: [String], store: String, output: String? = nil
  ) throws -> ProcessUse {
    try run([listsync] + arguments, store: store, output: output)
  }

  static var ownPath: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).path
  }

  /// Opens a new, empty file.
  static func newFile(_ path: String) throws -> FileHandle {
    try Data().write(to: URL(fileURLWithPath: path))
    return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }
}
