import Foundation
import GRDB
import ListStore
import StoreTestSupport
import Testing

/// The causes of each exit code of `listsync --help`. `WaitTests` has code 7.
struct ExitCodeTests {
  private let after = Example.url("parks-after.json").path
  private let before = Example.url("parks-before.json").path

  @Test func equalVersionsExitWith0EvenWhenDifferencesWouldExitWith1() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("diff", "parks", "head", "head", "--exit-code")
    try await harness.succeed("compare", after, after, "--exit-code")
  }

  @Test func differencesExitWith1OnRequest() async throws {
    let harness = try await CommandLineHarness.withParks()
    for arguments in [["diff", "parks", "1"], ["compare", before, after]] {
      let plain = try await harness.run(arguments)
      let told = try await harness.run(arguments + ["--exit-code"])
      #expect(plain.exitCode == 0)
      #expect(told.exitCode == 1)
      #expect(told.output == plain.output && !told.output.isEmpty)
    }
  }

  @Test(arguments: [
    ["show"], ["show", "parks@no~sense"], ["show", "parks@"],
    ["diff", "parks", "2.5"], ["delta", "parks"], ["log", "parks", "-n", "0"],
    ["commit", "parks", "-", "--format", "xml"], ["commit", "parks", "-", "--at", "yesterday"],
    ["commit", "parks", "-", "--at", "2026-02-30"], ["commit", "parks", "-", "--expect", "x"],
    ["commit", "parks", "-", "--items", "data"], ["commit", "parks", "-", "--id", "/~"],
    ["commit", "parks", "-", "--separator", "ab"], ["compare", "-", "-"], ["merge", "a", "-", "-"],
    ["merge", "a", "b", "c", "--force"], ["lists", "--colour"],
    ["store", "distribute"],
    ["store", "distribute", "--store", "postgresql:///a", "--shards", "0"],
  ])
  func invalidArgumentsExitWith2(_ arguments: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(try await harness.run(arguments), code: 2, says: ["Error: ", "--help"])
  }

  /// Former faults: each of these errors led elsewhere.
  @Test(
    arguments: [
      (["show", "parks", "--item", "-5"], ["If -5 is the value, write --item=-5"]),
      (["edit", "parks", "--remove", "-5"], ["write --remove=-5"]),
      (["commit", "parks", "-", "--at", "20260801"], ["write a time as 2026-11-21,"]),
    ] as [([String], [String])])
  func usageErrorSaysWhatToWrite(_ arguments: [String], _ words: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    let text = try await harness.run(arguments)
    expectRefusal(text, code: 2, says: words)
    #expect(!text.errorText.contains("edit --to"))
    expectRefusal(try await harness.run(arguments + ["--json"]), code: 2, says: words)
  }

  @Test func timesMayHaveTheOffsetOfTheProgramDate() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed(
      "commit", "l", "-", "--at", "2026-08-01T01:30:00+0200", input: #"[{"id":"-5"}]"#)
    let log = try await harness.succeed("log", "l", "--json").text
    #expect(log.contains("2026-07-31T23:30:00Z"))
    let shown = try await harness.succeed("show", "l@2026-08-01T01:30:00+0200", "--item=-5")
    #expect(shown.text == "{\"id\":\"-5\"}\n")
  }

  @Test func missingListExitsWith3AndTheErrorListsTheExistingLists() async throws {
    let harness = try await CommandLineHarness.withParks()
    for verb in [["show", "parcs"], ["log", "parcs"], ["delta", "parcs", "--since", "0"]] {
      expectRefusal(
        try await harness.run(verb), code: 3,
        says: ["there is no list 'parcs'; there are: parks", "listsync commit parcs FILE"])
    }
  }

  @Test func itemThatNeverExistedExitsWith3() async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(
      try await harness.run("log", "parks", "--item", "denali"), code: 3,
      says: ["no kept version of parks contains an item 'denali'", "byte by byte"])
  }

  @Test func removedItemStillHasAHistory() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "parks", "-", input: "[]")
    let history = try await harness.succeed("log", "parks", "--item", "zion").lines
    #expect(history.first?.contains("removed from 0  zion") == true)
  }

  @Test(arguments: ["0", "1", "3", "1-00000000000000000000000000000000"])
  func staleExpectationExitsWith4AndTheErrorNamesTheHead(_ expected: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    let log = try await harness.succeed("log", "parks", "--json").text
    let outcome = try await harness.run("commit", "parks", "-", "--expect", expected, input: "[]")
    let head = try await head(of: harness)
    expectRefusal(
      outcome, code: 4,
      says: ["parks is at \(head), not at \(expected.prefix(14))", "commit with --expect \(head)"])
    #expect(try await harness.succeed("log", "parks", "--json").text == log)
  }

  /// The hint once advised `--expect`, which does not help a delta.
  @Test func deltaFromAnotherStateExitsWith4AndTellsHowToMakeItAnew() async throws {
    let harness = try await CommandLineHarness.withParks()
    let delta = try await harness.succeed("delta", "parks", "--since", "0", "--to", "2").text
    let outcome = try await harness.run("commit", "parks", "--delta", "-", input: delta)
    let head = try await head(of: harness)
    expectRefusal(
      outcome, code: 4,
      says: [
        "parks is at \(head), but the changes start from 0-",
        "listsync delta parks --since \(head)",
      ])
    #expect(!outcome.errorText.contains("--expect"))
  }

  @Test func commitWithACorrectExpectationSucceeds() async throws {
    let harness = try await CommandLineHarness.withParks()
    let head = try await head(of: harness)
    try await harness.succeed("commit", "parks", before, "--expect", head)
    try await harness.succeed("commit", "parks", after, "--expect", "3")
    try await harness.succeed("commit", "new", after, "--expect", "0")
  }

  @Test func repeatedCommitWithAnOldExpectationIsAccepted() async throws {
    let harness = try await CommandLineHarness.withParks()
    let arguments = ["commit", "parks", after, "--expect", "1", "-m", "Spring update"]
    try await harness.succeed("edit", "parks", "--remove", "zion")
    for (author, word) in [("", "committed before"), ("Ben", "unchanged")] {
      let outcome = try await harness.run(
        arguments + (author.isEmpty ? [] : ["--author", author]))
      #expect(outcome.exitCode == 0 && outcome.text.hasPrefix("parks 2-"), "\(outcome)")
      #expect(outcome.text.contains(word), "\(outcome)")
    }
    #expect(try await harness.succeed("lists").text.hasPrefix("parks  3-"))
  }

  @Test func cursorOfAnotherStoreExitsWith5() async throws {
    let (harness, other) = (try await CommandLineHarness.withParks(), try CommandLineHarness())
    try await other.succeed("commit", "parks", before, "-m", "Another first list")
    let cursor = try await head(of: other)
    for verb in [["delta", "parks", "--since", cursor], ["show", "parks@\(cursor)"]] {
      expectRefusal(
        try await harness.run(verb), code: 5,
        says: ["parks diverged: its history", "does not contain \(cursor)", "Start over with"])
    }
  }

  @Test func futureCursorExitsWith5AndTheErrorNamesTheHead() async throws {
    let harness = try await CommandLineHarness.withParks()
    let head = try await head(of: harness)
    expectRefusal(
      try await harness.run("delta", "parks", "--since", "9-00000000000000000000000000000000"),
      code: 5,
      says: ["parks diverged", "now at \(head)", "not contain 9-000000000000", "Start over with"])
  }

  /// A change to the database, the version that it damages, and the words of verify about it.
  static let damages = [
    ("UPDATE versions SET root = zeroblob(32) WHERE version = 2", 2, "chain"),
    ("UPDATE versions SET item_count = 9 WHERE version = 2", 2, "is not 9"),
    ("DELETE FROM segments", 1, "a segment of a list is missing"),
  ]

  @Test(arguments: damages)
  func damagedVersionExitsWith6AndIsNamed(sql: String, version: Int, words: String) async throws {
    try await expectDamage(of: version, words) { try $0.change(sql) }
  }

  /// A change of the item with an id in the log, the version that it damages, and the words of
  /// verify about it.
  private static let damagedChanges:
    [(id: String, version: Int, words: String, body: @Sendable (inout LoggedChange) -> Void)] = [
      ("zion", 1, "root", { $0.text = #"{"id":"zion","name":"Sion"}"# }),
      ("grand-canyon", 2, "canonical JSON", { $0.text = #"{"i"# }),
      ("grand-canyon", 2, "canonical JSON", { $0.text = "" }),
      ("zion", 1, "root", { $0.id = "sion" }),
      ("grand-canyon", 2, "to is 77, outside", { $0.to = 77 }),
    ]

  @Test(arguments: damagedChanges.indices)
  func damagedChangeExitsWith6AndItsVersionIsNamed(number: Int) async throws {
    let (id, version, words, body) = Self.damagedChanges[number]
    try await expectDamage(of: version, words) {
      try await $0.rewriteLog { if $0.id == id { body(&$0) } }
    }
  }

  private func expectDamage(
    of version: Int, _ words: String, after damage: (CommandLineHarness) async throws -> Void
  ) async throws {
    let harness = try await CommandLineHarness.withParks()
    let sound = try await harness.succeed("show", "parks@\(version)").output
    try await damage(harness)
    let verify = try await harness.run("verify")
    expectRefusal(
      verify, code: 6,
      says: ["parks version \(version): ", words, "restore the store from a backup"])
    let show = try await harness.run("show", "parks@\(version)")
    // Either the answer is not affected by the damage, or it is refused.
    if show.output != sound { expectRefusal(show, code: 6, says: ["damaged", "listsync verify"]) }
    let replay = try await harness.run("replay", "parks", "--check")
    #expect(replay.exitCode == 6 && replay.errorText.contains("listsync verify"), "\(replay)")
    #expect(replay.lines.count <= version)
  }

  @Test func changedMessageBreaksTheChain() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.change("UPDATE versions SET message = 'Autumn update' WHERE version = 2")
    expectRefusal(
      try await harness.run("verify"), code: 6,
      says: ["parks version 2: the chain of version 2 of parks does not fit"])
  }

  @Test func undamagedListsAreStillVerifiedBesideADamagedOne() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "movies", Example.url("movies/monday.json").path)
    try harness.change("UPDATE versions SET root = zeroblob(32) WHERE version = 2")
    let outcome = try await harness.run("verify")
    #expect(outcome.exitCode == 6)
    #expect(outcome.lines.count == 1 && outcome.text.hasPrefix("movies: 1 version, "))
  }

  @Test(arguments: ["{\"i", "{\"i\":", "\"", "", "[", "{\"a\":1 }", "nul"])
  func contentThatIsNotJSONExitsWith6WhereItIsParsed(_ content: String) async throws {
    // An older version crashed in diff and in the item's history.
    let harness = try await CommandLineHarness.withParks()
    try await harness.rewriteLog {
      if $0.id == "great-smoky-mountains" { $0.text = content }
    }
    for verb in [["diff", "parks", "1"], ["log", "parks", "--item", "great-smoky-mountains"]] {
      expectRefusal(
        try await harness.run(verb), code: 6,
        says: ["the store is damaged", "not canonical JSON", "listsync verify"])
    }
  }

  @Test func readersDoNotWaitForAWriter() async throws {
    // In an older version, opening the store wrote to it, so a reader exited with 7.
    let harness = try await CommandLineHarness.withParks()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let path = harness.url("listsync.db").path
    let writer = try DatabaseQueue(path: path, configuration: configuration)
    try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try await harness.succeed("show", "parks")
    try await harness.succeed("diff", "parks", "1")
    try await harness.succeed("replay", "parks", "--check")
    try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }

  @Test func readingDoesNotChangeTheStore() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (bytes, names) = (harness.storeBytes(), try harness.fileNames())
    try await harness.succeed("lists")
    try await harness.succeed("show", "parks")
    try await harness.succeed("log", "parks", "--item", "zion")
    try await harness.succeed("verify")
    try await harness.succeed("commit", "parks", before, "--dry-run")
    #expect(harness.storeBytes() == bytes)
    #expect(try harness.fileNames() == names)
  }

  #if os(Linux)
    @Test func unwritableOutputExitsWith8() async throws {
      let harness = try await CommandLineHarness.withParks()
      let outcome = try await harness.run(["show", "parks"], outputPath: "/dev/full")
      expectRefusal(outcome, code: 8, says: ["cannot write the answer"])
    }

    @Test func unwritableOutputErrorStatesTheCompletedWork() async throws {
      let harness = try await CommandLineHarness.withParks()
      try harness.write(#"[{"id":"a"}]"#, to: "a.json")
      try harness.write(#"{"id":"b"}"#, to: "b.json")
      try harness.write(#"[{"id":"c"}]"#, to: "c.json")
      let verbs: [([String], String)] = [
        (["commit", "parks", "a.json"], "parks 3-"),
        (["edit", "parks", "--put", "b.json"], "parks 4-"),
        (["commit", "parks", "c.json", "--json"], "parks 5-"),
        (["tag", "parks", "spring", "1"], "parks 1-"),
        (["bundle", "create", "parks", "-o", "parks.bundle"], "parks 5-"),
        (["bundle", "apply", "parks.bundle", "--as", "films"], "films 5-"),
        (["backup", "copy.db"], "copy.db: "),
        (["prune", "films", "--keep-last", "1"], "films: pruned"),
        (["token", "create", "me", "--read", "*"], "the token me was created"),
        (["token", "revoke", "me"], "me: revoked"),
      ]
      for (arguments, kept) in verbs {
        let outcome = try await harness.run(arguments, outputPath: "/dev/full")
        expectRefusal(
          outcome, code: 8,
          says: ["cannot write the answer", "; \(kept)", "The change is made"])
      }
      #expect(try await head(of: harness).hasPrefix("5-"))
      #expect(try await harness.succeed("verify").lines.count == 2)
    }
  #endif

  private func head(of harness: CommandLineHarness) async throws -> String {
    let log = try await harness.succeed("log", "parks", "-n", "1", "--json").json()
    let entries = try #require(log as? [[String: Any]])
    // As people see it.
    return String(try #require(entries.first?["cursor"] as? String).prefix(14))
  }
}
