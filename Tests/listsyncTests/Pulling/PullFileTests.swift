import Foundation
import LocalFiles
import TestSupport
import Testing

/// The files of a pull, the copy and the list, with special names and of special kinds.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct PullFileTests {
  private let harness: CommandLineHarness
  private let server: RunningProgram
  private let address: String
  /// The list in the format of `show`.
  private let list: String

  init() async throws {
    harness = try await CommandLineHarness.withParks()
    list = try await harness.succeed("show", "parks").text
    (server, address) = try await harness.serve()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: harness.url(name), encoding: .utf8)
  }

  private func permissions(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: harness.url(name).path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test func pulledListReplacesAFileAndKeepsItsPermissions() async throws {
    for (name, mode) in [("secret.json", 0o600), ("shared.json", 0o664)] {
      try harness.write("old", to: name)
      #expect(chmod(harness.url(name).path, mode_t(mode)) == 0)
      try await harness.succeed("pull", "parks", address, "-o", name)
      #expect(try text(name) == list)
      #expect(try permissions(name) == mode)
    }
    #expect(try !harness.fileNames().contains { $0.hasSuffix(".partial") })
  }

  @Test func pullKeepsALinkAndReplacesItsTarget() async throws {
    let link = harness.url("link.json").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target.json")
    for _ in 0..<2 {
      try await harness.succeed("pull", "parks", address, "-o", "link.json")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "target.json")
      #expect(try text("target.json") == list)
    }
  }

  @Test func pullWritesIntoPipesAndDevices() async throws {
    let pipe = harness.url("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    // Opened for reading and writing, so that opening does not wait for the other end.
    let reader = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    try await harness.succeed("pull", "parks", address, "-o", "pipe")
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(reader, &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == list)
    #expect(FileStatus(path: pipe)?.kind == .pipe)
    // Uses a device of its own, if the system allows one, so the real device is safe.
    let device = harness.url("null").path
    guard mknod(device, S_IFCHR | 0o666, 0x103) == 0 else { return }
    _ = try await harness.run("pull", "parks", address, "-o", "null")
    #expect(FileStatus(path: device)?.kind == .device)
  }

  /// With 300 kB and more, SQLite writes to the file before the disk is full. It then left the file
  /// as it was only together with its journal, which `show --replica` could not apply.
  @Test(.enabled(if: SmallDisk.isAllowed, "skipped: a small disk cannot be mounted here"))
  func fullDiskLeavesTheCopyReadableAtOnce() async throws {
    let disk = try SmallDisk(kilobyteCount: 3000)
    let copy = disk.folder.appendingPathComponent("l.replica").path
    try harness.write(Self.items(3000, "x", textCount: 60), to: "a.json")
    try harness.write(Self.items(9000, "y", textCount: 200), to: "b.json")
    try await harness.succeed("commit", "l", "a.json")
    try await harness.succeed("pull", "l", address, "--copy", copy)
    let before = try await harness.succeed("show", "--replica", copy)
    try await harness.succeed("commit", "l", "b.json")
    for kilobyteCount in [0, 40, 300, 600, 1000] {
      try disk.fill(leavingKilobyteCount: kilobyteCount)
      let outcome = try await harness.run("pull", "l", address, "--copy", copy)
      #expect(outcome.exitCode == 8, "\(kilobyteCount) kB")
      #expect(outcome.errorText.contains("Your copy is unchanged: make room"))
      let names = try FileManager.default.contentsOfDirectory(atPath: disk.folder.path)
      #expect(names.sorted() == ["filling", "l.replica"], "\(kilobyteCount) kB")
      let shown = try await harness.run("show", "--replica", copy)
      #expect(shown.output == before.output, "\(kilobyteCount) kB: \(shown.errorText)")
    }
  }

  private static func items(_ count: Int, _ letter: String, textCount: Int) -> String {
    let text = String(repeating: letter, count: textCount)
    let items = (0..<count).map { #"{"id":"i\#($0)","t":"\#(text)"}"# }
    return "[\(items.joined(separator: ",\n"))]"
  }

  @Test func listIsNeverWrittenOverTheReplicaFile() async throws {
    let first = try await harness.run("pull", "parks", address, "-o", "parks.replica")
    expectRefusal(first, code: 2, says: ["-o 'parks.replica' is the file of the copy"])
    try await harness.succeed("pull", "parks", address)
    try FileManager.default.createSymbolicLink(
      atPath: harness.url("link").path, withDestinationPath: "parks.replica")
    #expect(link(harness.url("parks.replica").path, harness.url("hard").path) == 0)
    let copy = try Data(contentsOf: harness.url("parks.replica"))
    let names = [
      "parks.replica", "./parks.replica", "link", "hard", "parks.replica-journal",
      harness.url("parks.replica").path,
    ]
    for name in names {
      let outcome = try await harness.run("pull", "parks", address, "-o", name)
      expectRefusal(outcome, code: 2, says: ["is the file of the copy"])
    }
    #expect(try Data(contentsOf: harness.url("parks.replica")) == copy)
  }

  @Test func replicaUsesTheExactFileNameWithoutSQLiteInterpretation() async throws {
    for name in [":memory:", "file:x?mode=memory", "a%20b"] {
      try await harness.succeed("pull", "parks", address, "--copy", name)
      #expect(try harness.fileNames().contains(name))
      let again = try await harness.succeed("pull", "parks", address, "--copy", name)
      #expect(again.text.contains(": up to date; 5 items"))
    }
    for option in ["--copy", "-o"] {
      let outcome = try await harness.run("pull", "parks", address, option, "")
      expectRefusal(outcome, code: 2, says: ["\(option): the file's name is empty"])
    }
  }

  @Test func failedPullLeavesExistingFilesUnchanged() async throws {
    try await harness.succeed("token", "create", "app", "--read", "parks")
    try FileManager.default.createSymbolicLink(
      atPath: harness.url("dangling").path, withDestinationPath: "nowhere")
    try Data().write(to: harness.url("empty"))
    for name in ["dangling", "empty", "none"] {
      let outcome = try await harness.run("pull", "parks", address, "--copy", name)
      expectRefusal(outcome, code: 1, says: ["token"])
    }
    let names = try harness.fileNames()
    #expect(names.contains("dangling") && names.contains("empty") && !names.contains("none"))
  }

  @Test func concurrentFirstPullsEachMakeTheCopyOrReportTheOther() async throws {
    for round in 0..<3 {
      let (harness, address) = (harness, address)
      let outcomes = try await withThrowingTaskGroup(
        of: CommandLineHarness.Outcome.self
      ) { group in
        for _ in 0..<4 {
          group.addTask {
            try await harness.run("pull", "parks", address, "--copy", "copy-\(round)")
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.contains { $0.exitCode == 0 })
      for outcome in outcomes where outcome.exitCode != 0 {
        #expect(outcome.exitCode == 8, "\(outcome)")
        #expect(outcome.errorText.contains("The copy is the other program's"), "\(outcome)")
      }
      let after = try await harness.succeed("pull", "parks", address, "--copy", "copy-\(round)")
      #expect(after.text.contains(": up to date; 5 items"))
    }
  }

  @Test func pullPreservesAnIDWithU0000() async throws {
    try await harness.succeed("commit", "odd", "-", input: #"[{"id":"a\u0000b"},{"id":"a"}]"#)
    try await harness.succeed("pull", "odd", address)
    let again = try await harness.succeed("pull", "odd", address, "-o", "odd.json")
    #expect(again.text.contains(": up to date; 2 items"))
    #expect(try text("odd.json") == (try await harness.succeed("show", "odd").text))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func nextPullPrintsChangesThatCouldNotBeWritten() async throws {
    let full = try await harness.run(
      ["pull", "parks", address, "--json"], outputPath: "/dev/full")
    expectRefusal(full, code: 8, says: ["cannot write the answer", "gives the same changes again"])
    #expect(try !harness.fileNames().contains("parks.replica"))
    let list = try await harness.run("pull", "parks", address, "--json", "-o", "none/x")
    expectRefusal(list, code: 8, says: ["cannot write none/x", "Your copy is unchanged"])
    let again = try await harness.succeed("pull", "parks", address, "--json")
    let document = try #require(try again.json() as? [String: Any])
    #expect((document["inserted"] as? [Any])?.count == 5)
  }

  @Test func closedOutputIsAnErrorAndTheChangesArePrintedAgain() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(ProcessStart.alone { pipe(&ends) } == 0)
    close(ends[0])
    let closedPipe = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    for (words, output) in [("", closedPipe), (">&-", FileHandle.nullDevice)] {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "exec \"$0\" pull parks \"$1\" --json \(words)"]
      process.arguments? += [try BuiltProgram.url("listsync").path, address]
      process.currentDirectoryURL = harness.folder
      process.standardOutput = output
      process.standardError = try FileHandle(forWritingTo: emptyFile("err"))
      try process.start()
      process.waitUntilExit()
      let said = try text("err")
      #expect(process.terminationReason == .exit && process.terminationStatus == 8, "\(said)")
      #expect(said.contains("cannot write the answer") && said.contains("same changes again"))
      #expect(try !harness.fileNames().contains("parks.replica"))
    }
  }

  private func emptyFile(_ name: String) throws -> URL {
    try harness.write("", to: name)
    return harness.url(name)
  }
}
