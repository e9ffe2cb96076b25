import Foundation
import GRDB
import LocalFiles
import TestSupport
import Testing

/// Paths of a store that are special for SQLite or for the system, or do not exist.
struct StorePlaceTests {
  @Test(arguments: ["mine.sqlite/", "nodir/../mine.sqlite"])
  func databaseOfAnotherProgramIsNotModifiedUnderAnyName(_ name: String) async throws {
    let harness = try CommandLineHarness()
    try await DatabaseQueue(path: harness.url("mine.sqlite").path).write {
      try $0.execute(sql: "CREATE TABLE t (a)")
    }
    let before = try Data(contentsOf: harness.url("mine.sqlite"))
    let outcome = try await harness.run(
      ["commit", "l", "-", "--id", ".", "--store", name], input: Array(#"["a"]"#.utf8))
    #expect(outcome.exitCode != 0 && outcome.errorText.contains(name), "\(outcome)")
    #expect(try Data(contentsOf: harness.url("mine.sqlite")) == before)
    #expect(try harness.fileNames() == ["mine.sqlite"])
  }

  @Test func nameThatSQLiteWouldInterpretIsUsedAsAFileName() async throws {
    let harness = try CommandLineHarness()
    for name in [":memory:", "file:x?mode=memory"] {
      let commit = ["commit", "l", "-", "--id", ".", "--store", name]
      #expect(try await harness.run(commit, input: Array(#"["a"]"#.utf8)).exitCode == 0)
      let shown = try await harness.run(["show", "l"], environment: ["LISTSYNC_STORE": name])
      #expect(shown.exitCode == 0 && shown.text.contains("a"), "\(shown)")
    }
    #expect(try harness.fileNames() == [":memory:", "file:x?mode=memory"])
  }

  @Test func emptyVariableCountsAsNotSetAndAnEmptyOptionIsRefused() async throws {
    let harness = try CommandLineHarness()
    let environment = ["LISTSYNC_STORE": ""]
    let made = try await harness.run(
      "commit", "l", "-", input: #"[{"id":1}]"#, environment: environment)
    #expect(made.exitCode == 0, "\(made)")
    #expect(try harness.fileNames() == ["listsync.db"])
    for verb in [["lists"], ["commit", "l", "-"]] {
      expectRefusal(
        try await harness.run(verb + ["--store", ""]), code: 2,
        says: ["--store: the file's name is empty", "Usage: listsync \(verb[0])"])
    }
  }

  @Test func dotsAfterALinkAreResolvedByTheSystem() async throws {
    let harness = try CommandLineHarness()
    try FileManager.default.createDirectory(
      at: harness.url("deep/inner"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: harness.url("link").path, withDestinationPath: "deep/inner")
    try harness.write(#"["near"]"#, to: "x.json")
    try harness.write(#"["deep"]"#, to: "deep/x.json")
    // Resolved by its text alone, the path would name x.json.
    try await harness.succeed("commit", "l", "link/../x.json", "--id", ".")
    #expect(try await harness.succeed("show", "l").text.contains("deep"))
  }

  @Test func argumentsThatAreNotUTF8AreRefused() throws {
    let harness = try CommandLineHarness()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The shell makes the byte 0xFF, which a Swift string cannot contain.
    let script = #"exec "$0" lists --store "$(printf 'a\377.db')""#
    process.arguments = ["-c", script, try BuiltProgram.url("listsync").path]
    process.currentDirectoryURL = harness.folder
    process.standardError = FileHandle.nullDevice
    try process.start()
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
  }

  @Test func manyProcessesMayCreateTheSameStoreAtOnce() async throws {
    for _ in 0..<3 {
      let harness = try CommandLineHarness()
      try await withThrowingTaskGroup(of: CommandLineHarness.Outcome.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await harness.run(
              ["commit", "l\(number)", "-", "--id", "."], input: Array(#"["a"]"#.utf8))
          }
        }
        for try await outcome in group { #expect(outcome.exitCode == 0, "\(outcome)") }
      }
      #expect(try await harness.succeed("lists").lines.count == 8)
    }
  }
}
