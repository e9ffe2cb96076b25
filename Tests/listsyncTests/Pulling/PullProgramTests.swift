import Foundation
import LocalFiles
import TestSupport
import Testing

/// How `listsync pull` finds and starts its program.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct PullProgramTests {
  /// Runs a copy of `listsync` in a folder of its own, with a search path.
  private func run(in folder: URL, path: String) throws -> (code: Int32, error: String) {
    let process = Process()
    process.executableURL = folder.appendingPathComponent("listsync")
    process.arguments = ["pull", "parks", "http://127.0.0.1:1", "--copy", "none/x"]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": path]
    let errorURL = folder.appendingPathComponent("err")
    try Data().write(to: errorURL)
    process.standardError = try FileHandle(forWritingTo: errorURL)
    try process.start()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: try Data(contentsOf: errorURL), as: UTF8.self)
    )
  }

  @Test func pullProgramIsFoundBesideListsyncOrInThePath() throws {
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try BuiltProgram.url("listsync")
    try ExecutableFile.copy(program, to: folder.appendingPathComponent("listsync"))

    let missing = try run(in: folder, path: "/nowhere")
    #expect(missing.code == 1)
    #expect(missing.error.contains("cannot start \(folder.path)/listsync-pull"))
    #expect(missing.error.contains("next to listsync, or in a folder of PATH"))

    let inPath = try run(in: folder, path: program.deletingLastPathComponent().path)
    #expect(inPath.code == 8 && inPath.error.contains("cannot open none/x"), "\(inPath)")

    try ExecutableFile.write(
      "#!/bin/sh\necho \"$@\" >&2\nexit 42\n",
      to: folder.appendingPathComponent("listsync-pull"))
    let forbidden = try run(in: folder, path: "/nowhere")
    #expect(forbidden.code == 1 && forbidden.error.contains("Permission denied"), "\(forbidden)")
    #expect(chmod(folder.appendingPathComponent("listsync-pull").path, 0o755) == 0)
    let beside = try run(in: folder, path: "/nowhere")
    #expect(beside.code == 42)
    #expect(beside.error == "parks http://127.0.0.1:1 --copy none/x\n")
  }

  @Test func listsyncLinksNoNetworkLibrary() throws {
    let program = try Data(contentsOf: BuiltProgram.url("listsync"))
    for name in ["libFoundationNetworking", "NIOPosix", "AsyncHTTPClient"] {
      #expect(program.range(of: Data(name.utf8)) == nil, "\(name)")
    }
    let pull = try Data(contentsOf: BuiltProgram.url("listsync-pull"))
    #expect(pull.range(of: Data("AsyncHTTPClient".utf8)) != nil)
    #expect(pull.range(of: Data("libFoundationNetworking".utf8)) == nil)
  }

  @Test func bothProgramsRefuseArgumentsWithTheSameText() async throws {
    let harness = try CommandLineHarness()
    for words in [
      ["pull", "parks"], ["pull", "parks", "http://h", "--timeout", "0"],
      ["pull", "http://u:secret@h", "parks"], ["pull", "parks", "http://u:secret@h"],
      ["pull", "parks", "http://h?token=secret"], ["pull", "no list", "http://h"],
    ] {
      let outcome = try await harness.run(words)
      #expect(outcome.exitCode == 2, "\(words): \(outcome)")
      #expect(!outcome.errorText.contains("secret"), "\(outcome.errorText)")
      #expect(!outcome.errorText.contains("listsync-pull"), "\(outcome.errorText)")
    }
  }
}
