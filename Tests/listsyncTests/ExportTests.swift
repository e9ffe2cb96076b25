import Foundation
import GRDB
import ListDocuments
import ListModel
import LocalFiles
import TestSupport
import Testing

/// `listsync export` of the built program.
struct ExportTests {
  @Test func theStoreOfAVerbIsNeverAnExport() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("export", "parks", "-o", "history.db")
    let before = try Data(contentsOf: harness.url("history.db"))
    for verb in [["lists"], ["commit", "l", "-"], ["verify"]] {
      expectRefusal(
        try await harness.run(verb + ["--store", "history.db"], input: Array("[]".utf8)), code: 1,
        says: ["history.db is an export for readers of SQL, and not a store", "--store"])
    }
    #expect(try Data(contentsOf: harness.url("history.db")) == before)
  }

  @Test func theStoreIsNeverTheExport() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("lists")
    let before = harness.storeBytes()
    expectRefusal(
      try await harness.run("export", "parks", "-o", "listsync.db"), code: 1,
      says: ["listsync.db is not an export of listsync; it was not touched"])
    #expect(harness.storeBytes() == before)
  }

  @Test func aListThatIsNotThereMakesNoFile() async throws {
    let harness = try await CommandLineHarness.withParks()
    let outcome = try await harness.run("export", "parks", "films", "-o", "history.db")
    expectRefusal(outcome, code: 3, says: ["films"])
    #expect(try harness.lastingFileNames() == ["listsync.db"])
  }

  @Test func anotherHistoryIsToldWithBothCursors() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("export", "parks", "-o", "history.db")
    try await harness.succeed("commit", "parks", "-", "--store", "other.db", input: #"[{"id":1}]"#)
    expectRefusal(
      try await harness.run("export", "parks", "-o", "history.db", "--store", "other.db"), code: 5,
      says: ["parks diverged: history.db has it at 2-", "now at 1-", "--replace"])
    try await harness.succeed(
      "export", "parks", "-o", "history.db", "--store", "other.db", "--replace")
  }

  @Test(arguments: [
    ["-o", "-"], ["-o", "x", "--format", "csv", "--watch"],
    ["-o", "-", "--format", "csv", "--json"], ["-o", "x", "--format", "xml"],
  ])
  func optionsThatDoNotFitAreRefused(_ options: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    #expect(try await harness.run(["export", "parks"] + options).exitCode == 2)
    #expect(try harness.lastingFileNames() == ["listsync.db"])
  }

  @Test func rowsAsTextGoToAFileOrToStandardOutput() async throws {
    let harness = try await CommandLineHarness.withParks()
    let text = try await harness.succeed("export", "parks", "-o", "-", "--format", "ndjson").text
    #expect(text.split(separator: "\n").count > 4 && text.hasPrefix(#"{"list":"parks","place":"#))
    try await harness.succeed("export", "parks", "-o", "rows.ndjson", "--format", "ndjson")
    #expect(try String(contentsOf: harness.url("rows.ndjson"), encoding: .utf8) == text)
    expectRefusal(
      try await harness.run("export", "parks", "-o", "rows.ndjson", "--format", "csv"), code: 1,
      says: ["rows.ndjson is there already", "add --replace"])
    try await harness.succeed(
      "export", "parks", "-o", "rows.ndjson", "--format", "csv", "--replace")
  }

  @Test func watchingExportsEachCommitOfAnotherProgram() async throws {
    let harness = try await CommandLineHarness.withParks()
    let process = Process()
    process.executableURL = try BuiltProgram.url("listsync")
    process.arguments = ["export", "parks", "-o", "history.db", "--watch"]
    process.currentDirectoryURL = harness.folder
    process.standardOutput = FileHandle.nullDevice
    try process.start()
    defer { process.terminate() }
    for number in 3...4 {
      try await harness.succeed("commit", "parks", "-", input: #"[{"id":\#(number)}]"#)
      try await eventually("version \(number) is exported") {
        try newest(in: harness) == number
      }
    }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
  }

  /// Each kill leaves whole versions, and the next export completes them.
  @Test func aKilledExportLeavesWholeVersions() async throws {
    var random = SeededRandom.forThisRun()
    let harness = try CommandLineHarness()
    var (killedCount, windowSeconds, shown) = (0, 0.3, [[UInt8]]())
    for round in 1...6 {
      for _ in 1...2 {
        let items = try (0..<4000).filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
          .map { id in
            let value = Int.random(in: 0...9, using: &random) == 0 ? round : 0
            let content = try Content(json: #"{"id":\#(id),"v":\#(value)}"#)
            return Item(id: ItemID("\(id)"), content: content)
          }
        shown.append(SnapshotDocument.encode(try Snapshot(items)))
        try harness.write(shown[shown.count - 1], to: "next.json")
        try await harness.succeed("commit", "l", "next.json")
      }
      let seconds = Double.random(in: 0...windowSeconds, using: &random)
      let outcome = try await harness.run(
        ["export", "l", "-o", "history.db", "--members"], killSeconds: seconds)
      let isKilled = outcome.exitCode == 128 + SIGKILL
      try #require(isKilled || outcome.exitCode == 0, "seed \(random.seed): \(outcome)")
      killedCount += isKilled ? 1 : 0
      windowSeconds *= isKilled ? 1.25 : 0.8
      if FileManager.default.fileExists(atPath: harness.url("history.db").path) {
        try expectVersions(shown, in: harness, seed: random.seed)
      }
    }
    try await harness.succeed("export", "l", "-o", "history.db", "--members")
    #expect(try newest(in: harness) == 12)
    try expectVersions(shown, in: harness, seed: random.seed)
    print("\(killedCount) of 6 exports were killed")
  }

  /// The versions that the export has are those that were committed.
  private func expectVersions(
    _ shown: [[UInt8]], in harness: CommandLineHarness, seed: UInt64
  ) throws {
    // Opened for writing: SQLite undoes what a killed process left.
    let queue = try DatabaseQueue(path: harness.url("history.db").path)
    try queue.writeWithoutTransaction { db in
      let check = try String.fetchOne(db, sql: "PRAGMA integrity_check")
      #expect(check == "ok", "seed \(seed)")
      guard try db.tableExists("versions") else { return }
      let newest = try Int.fetchOne(db, sql: "SELECT max(version) FROM versions") ?? 0
      for version in stride(from: newest, to: 0, by: -3) {
        let contents = try String.fetchAll(
          db,
          sql: """
            SELECT content FROM items WHERE list = 'l' AND since <= ?1 AND ?1 < until
            ORDER BY place
            """, arguments: [version])
        let items = try contents.map { text in
          let content = try Content(json: text)
          return Item(
            id: ItemID(ContentView(content).member("id")?.scalarText ?? ""), content: content)
        }
        let document = SnapshotDocument.encode(try Snapshot(items))
        #expect(document == shown[version - 1], "version \(version), seed \(seed)")
      }
    }
  }

  private func newest(in harness: CommandLineHarness) throws -> Int? {
    try DatabaseQueue(path: harness.url("history.db").path).read {
      try Int.fetchOne($0, sql: "SELECT max(version) FROM versions")
    }
  }
}
