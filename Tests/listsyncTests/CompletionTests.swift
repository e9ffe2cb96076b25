import Foundation
import GRDB
import LocalFiles
import StoreTestSupport
import TestSupport
import Testing

/// What shells offer after an unfinished command line.
struct CompletionTests {
  /// It has the lists `movies` and `parks`; `parks` has versions 1 and 2 and the tag `spring`.
  private static let store = PreparedStore { harness in
    let before = Example.url("parks-before.json").path
    try await harness.succeed("commit", "parks", before)
    try await harness.succeed("commit", "parks", Example.url("parks-after.json").path)
    try await harness.succeed("commit", "movies", "-", input: #"[{"id":"a"}]"#)
    try await harness.succeed("tag", "parks", "spring", "1")
  }

  /// A copy of the store, beside the file `a.json`.
  private func harness() async throws -> CommandLineHarness {
    let harness = try await Self.store.harness()
    try harness.write(#"[{"id":"a"}]"#, to: "a.json")
    return harness
  }

  /// Asks `listsync` as the shells' scripts do. The last word is completed.
  private func offers(
    _ harness: CommandLineHarness, for argument: String, _ words: String...,
    environment: [String: String] = [:]
  ) async throws -> [String] {
    let place = ["\(words.count)", "\(words.last?.count ?? 0)"]
    let outcome = try await harness.run(
      ["---completion", words[0], "--", argument] + place + ["listsync"] + words,
      environment: environment)
    #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty, "\(outcome)")
    return outcome.lines
  }

  @Test func listsTagsAndVersionsComeFromTheStore() async throws {
    let harness = try await harness()
    let lists = ["movies", "parks"]
    #expect(try await offers(harness, for: "positional@0", "log", "") == lists)
    #expect(try await offers(harness, for: "positional@1", "tag", "parks", "") == ["spring"])
    let revisions = ["head", "spring", "1", "2"]
    #expect(try await offers(harness, for: "--since", "delta", "parks", "--since", "") == revisions)
    #expect(try await offers(harness, for: "--since", "delta", "--since", "") == [])
    #expect(try await offers(harness, for: "positional@0", "show", "pa") == lists)
    #expect(
      try await offers(harness, for: "positional@0", "show", "parks@s")
        == revisions.map { "parks@\($0)" })
  }

  @Test(arguments: [
    ["--store", "other.db"], ["--store=other.db"], ["--store", "=", "other.db"],
  ])
  func storeOfTheCommandLineIsAsked(option: [String]) async throws {
    let harness = try await harness()
    try await harness.succeed("commit", "rivers", "a.json", "--store", "other.db")
    let words = ["log"] + option + [""]
    let outcome = try await harness.run(
      ["---completion", "log", "--", "positional@0", "\(words.count)", "0", "listsync"] + words)
    #expect(outcome.lines == ["rivers"], "\(outcome)")
    let offers = try await offers(
      harness, for: "positional@0", "log", "", environment: ["LISTSYNC_STORE": "other.db"])
    #expect(offers == ["rivers"])
  }

  @Test func noVersionIsOfferedFromTheMiddleOfALongHistory() async throws {
    let harness = try CommandLineHarness()
    let fixture = try RepositoryFixture()
    let commits = (1...102).map { (number: Int) -> FixtureCommit in
      FixtureCommit("", .write("parks.json", #"[{"id":"a","n":\#(number)}]"#))
    }
    try fixture.load(commits)
    try await harness.succeed("import-git", fixture.path, "parks.json")
    let offers = try await offers(harness, for: "--since", "delta", "parks", "--since", "")
    #expect(offers == ["head"] + (3...102).map(String.init))
  }

  @Test func absentOrDamagedStoreOffersNothingAndIsNotCreated() async throws {
    let harness = try CommandLineHarness()
    #expect(try await offers(harness, for: "positional@0", "log", "") == [])
    #expect(try harness.fileNames() == [])
    let damaged = String(repeating: "SQLite format 3\0", count: 500)
    try harness.write(damaged, to: "listsync.db")
    #expect(try await offers(harness, for: "positional@0", "log", "") == [])
    #expect(harness.storeBytes()[0] == Data(damaged.utf8))
  }

  @Test func lockedStoreOffersNothing() async throws {
    let harness = try await harness()
    let queue = try DatabaseQueue(path: harness.url("listsync.db").path)
    defer { try? queue.close() }
    // The connection keeps the lock until it is closed.
    try await queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    }
    #expect(try await harness.run("lists", environment: ["LISTSYNC_WAIT": "0"]).exitCode == 7)
    #expect(try await offers(harness, for: "positional@0", "log", "") == [])
  }

  @Test func storeOfAnotherVersionOffersNothingAndStaysAsItIs() async throws {
    let harness = try await harness()
    for sql in ["PRAGMA user_version = 2", "PRAGMA application_id = \(0x4C53_594E)"] {
      try harness.change(sql)
      let before = harness.storeBytes()
      #expect(try await offers(harness, for: "positional@0", "log", "") == [])
      #expect(harness.storeBytes() == before)
    }
  }

  @Test func completionInBashOffersFilesAndNames() async throws {
    let harness = try await harness()
    let offers = try await bash(
      harness,
      """
      source <(listsync --generate-completion-script bash)
      # The line, the word that bash replaces, then the line's words as bash parts them.
      offer() {
        COMP_LINE="$1" COMP_POINT=${#1} COMPREPLY=()
        local replaced="$2"
        shift 2
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _listsync_whole_words "$1" "$replaced" "${COMP_WORDS[COMP_CWORD-1]}"
        echo "${COMPREPLY[@]}"
      }
      offer "listsync log p" p listsync log p
      offer "listsync delta parks --since s" s listsync delta parks --since s
      offer "listsync commit parks a" a listsync commit parks a
      offer "listsync log --store listsync" listsync listsync log --store listsync
      # An @ belongs to the word that bash replaces.
      offer "listsync show parks@sp" @sp listsync show parks @ sp
      offer "listsync diff  parks@" @ listsync diff parks @
      # After 'shopt -u hostcomplete', it parts no words.
      offer "listsync show parks@sp" parks@sp listsync show parks@sp
      """)
    #expect(
      offers == [
        "parks", "spring", "a.json", "listsync.db", "@spring", "@head @spring @1 @2",
        "parks@spring",
      ])
  }

  /// Runs a script in the harness's folder, with the built programs before others.
  private func bash(
    _ harness: CommandLineHarness, _ script: String
  ) async throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let built = try BuiltProgram.url("listsync").deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    process.arguments = [
      "-u", "LISTSYNC_STORE", "PATH=\(built):\(path)", "bash", "-c", script,
    ]
    process.currentDirectoryURL = harness.folder
    let output = harness.folder.deletingLastPathComponent().appendingPathComponent("offers")
    try Data().write(to: output)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.start()
    try await eventually("bash ends") { !process.isRunning }
    return try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
      .map(String.init)
  }
}
