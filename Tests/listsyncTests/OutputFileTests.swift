import Foundation
import LocalFiles
import TestSupport
import Testing

/// The files that verbs write.
struct OutputFileTests {
  @Test func bundleIsWrittenIntoDevicesAndFIFOsDirectly() async throws {
    let harness = try await CommandLineHarness.withParks()
    let whole = try await harness.succeed("bundle", "create", "parks", "-o", "-").output
    #expect(mkfifo(harness.url("fifo").path, 0o600) == 0)
    let fifo = harness.url("fifo")
    async let read = onThread { try FileHandle(forReadingFrom: fifo).readToEnd() }
    try await harness.succeed("bundle", "create", "parks", "-o", "fifo")
    #expect(try await read == Data(whole))
    try await harness.succeed("bundle", "create", "parks", "-o", "/dev/null")
    #expect(FileStatus(path: "/dev/null")?.kind == .device)
    #if os(Linux)
      let out = try await harness.succeed("bundle", "create", "parks", "-o", "/dev/stdout")
      #expect(out.output.starts(with: whole))
    #endif
    // SQLite reads the copy of a store in random order, so it cannot be a device or FIFO.
    for path in ["fifo", "/dev/null"] {
      expectRefusal(
        try await harness.run("backup", path, "--force"), code: 8, says: ["not a regular file"])
    }
    #expect(try harness.fileNames().filter { !$0.hasPrefix("listsync.db") } == ["fifo"])
  }

  @Test func outputFollowsALinkToItsTarget() async throws {
    let harness = try await CommandLineHarness.withParks()
    #expect(symlink("real", harness.url("link").path) == 0)
    for arguments in [["bundle", "create", "parks", "-o", "link"], ["backup", "link"]] {
      try harness.write("old", to: "real")
      expectRefusal(
        try await harness.run(arguments), code: 1, says: ["link is there already", "--force"])
      let outcome = try await harness.run(arguments + ["--force"])
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try Data(contentsOf: harness.url("real")).count > 1000)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(
          atPath: harness.url("link").path) == "real")
    }
  }

  /// Only a backup may take the place of a database. The first store is the one that they read.
  @Test(arguments: ["listsync.db", "other.db", "link"])
  func noDocumentReplacesAStoreEvenIfForced(name: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("backup", "other.db")
    #expect(symlink("listsync.db", harness.url("link").path) == 0)
    // It refuses before it reads anything.
    let apply = ["apply", "absent.json", "absent.delta"]
    let bytes = try Data(contentsOf: harness.url(name))
    for verb in [["report", "parks"], ["bundle", "create", "parks"], apply] {
      expectRefusal(
        try await harness.run(verb + ["-o", name, "--force"]), code: 1,
        says: ["\(name) is not replaced", "database"])
    }
    #expect(try Data(contentsOf: harness.url(name)) == bytes)
    #expect(try await harness.succeed("verify").text.contains("2 versions"))
  }

  /// The store may be on another disk, which has room.
  @Test(.enabled(if: SmallDisk.isAllowed, "skipped: a small disk cannot be mounted here"))
  func backupOnAFullDiskNamesItsFileAndLeavesTheOldOne() async throws {
    let harness = try await CommandLineHarness.withParks()
    let disk = try SmallDisk(kilobyteCount: 300)
    let path = disk.folder.appendingPathComponent("copy.db").path
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    try disk.fill(leavingKilobyteCount: 40)
    expectRefusal(
      try await harness.run("backup", path, "--force"), code: 8,
      says: ["cannot write \(path): the disk is full", "No backup was made"])
    let names = try FileManager.default.contentsOfDirectory(atPath: disk.folder.path)
    #expect(names.sorted() == ["copy.db", "filling"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  /// A killed backup leaves a partial file as large as the store.
  @Test func partialFilesOfKilledVerbsAreRemovedByTheNextRun() async throws {
    var random = SeededRandom.forThisRun()
    let harness = try CommandLineHarness()
    let items = (0..<20_000).map { #"{"id":\#($0),"v":"\#($0 * 7919)"}"# }
    try await harness.succeed("commit", "l", "-", input: "[\(items.joined(separator: ","))]")
    let verbs = [["backup", "copy.db"], ["bundle", "create", "l", "-o", "l.bundle"]]
    var leftCount = 0
    for verb in verbs {
      var windowSeconds = 0.4
      for _ in 0..<4 {
        let seconds = Double.random(in: 0...windowSeconds, using: &random)
        let outcome = try await harness.run(verb + ["--force"], killSeconds: seconds)
        windowSeconds *= outcome.exitCode == 0 ? 0.8 : 1.25
        leftCount += try harness.fileNames().filter { $0.contains(".partial") }.count
      }
      let outcome = try await harness.run(verb + ["--force"])
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let names = try harness.fileNames().filter { !$0.hasPrefix("listsync.db") }
    #expect(names == ["copy.db", "l.bundle"], "seed \(random.seed)")
    print("\(leftCount) partial files were seen after kills")
  }
}
