import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// The inputs and options of `commit`, and the id rule that it remembers.
struct CommitTests {
  private let before = Example.url("parks-before.json").path
  private let after = Example.url("parks-after.json").path

  /// The same two items in every input format.
  static let forms: [(name: String, text: String, options: [String])] = [
    ("array.json", #"[{"id":"a","n":"1"},{"id":"b","n":"2"}]"#, []),
    ("no-ending", " \n[{\"n\":\"1\",\"id\":\"a\"},\n{\"id\":\"b\",\"n\":\"\\u0032\"}]\n", []),
    (
      "nested.json", #"{"data":{"rows":[{"id":"a","n":"1"},{"id":"b","n":"2"}]},"count":2}"#,
      ["--items", "/data/rows"]
    ),
    ("lines.ndjson", "{\"id\":\"a\",\"n\":\"1\"}\n{\"id\":\"b\",\"n\":\"2\"}\n", []),
    ("lines.txt", "{\"id\":\"a\",\"n\":\"1\"}\n\n{\"id\":\"b\",\"n\":\"2\"}", []),
    ("table.csv", "id,n\na,1\nb,2\n", []),
    ("crlf.csv", "\u{FEFF}id,n\r\n\"a\",\"1\"\r\nb,2\r\n", []),
    ("tabs.tsv", "n\tid\n1\ta\n2\tb\n", []),
    ("semicolons", "id;n\na;1\nb;2\n", ["--separator", ";"]),
    ("tabs", "id\tn\na\t1\nb\t2\n", ["--separator", "tab"]),
    ("named.data", "id,n\na,1\nb,2\n", ["--format", "csv"]),
  ]

  @Test(arguments: forms)
  func eachInputFormatGivesTheSameList(name: String, text: String, options: [String]) async throws {
    let harness = try CommandLineHarness()
    try harness.write(text, to: name)
    let outcome = try await harness.run(["commit", "l", name] + options)
    #expect(outcome.exitCode == 0 && outcome.errorText.isEmpty, "\(outcome)")
    let shown = try await harness.succeed("show", "l").text
    #expect(shown == "[\n{\"id\":\"a\",\"n\":\"1\"},\n{\"id\":\"b\",\"n\":\"2\"}\n]\n")
  }

  @Test(arguments: forms.filter { !$0.name.hasSuffix("sv") })
  func standardInputIsReadLikeAFileWithoutAnExtension(
    name: String, text: String, options: [String]
  ) async throws {
    let harness = try CommandLineHarness()
    try harness.write(text, to: "file")
    let file = try await harness.run(["commit", "l", "file"] + options)
    let stream = try await harness.run(
      ["commit", "l", "-"] + options, input: Array(text.utf8))
    #expect(file.exitCode == 0, "\(file)")
    #expect(stream.exitCode == 0 && stream.text.hasSuffix("unchanged; 2 items\n"), "\(stream)")
  }

  @Test func namedPipeIsReadLikeAFile() async throws {
    // Like <(command) in a shell. An older version refused pipes for lack of permission.
    let harness = try CommandLineHarness()
    let path = harness.url("pipe").path
    try #require(mkfifo(path, 0o600) == 0)
    async let outcome = harness.run("compare", "pipe", before)
    let text = try Data(contentsOf: Example.url("parks-before.json"))
    // Opening a FIFO waits for the reader.
    try await onThread {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.write(contentsOf: text)
      try handle.close()
    }
    let compared = try await outcome
    #expect(compared.exitCode == 0, "\(compared)")
    #expect(try DeltaDocument(compared.output).from.count == 4)
  }

  @Test func unchangedSnapshotCreatesNoVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    let log = try await harness.succeed("log", "parks").text
    let shown = try await harness.succeed("show", "parks").text
    let outcome = try await harness.succeed("commit", "parks", "-", "-m", "Again", input: shown)
    #expect(outcome.text.hasPrefix("parks 2-") && outcome.text.hasSuffix(": unchanged; 5 items\n"))
    #expect(try await harness.succeed("log", "parks").text == log)
  }

  @Test func dryRunPrintsTheChangesWithoutCommitting() async throws {
    let harness = try await CommandLineHarness.withParks()
    let (bytes, log) = (harness.storeBytes(), try await harness.succeed("log", "parks").text)
    let outcome = try await harness.succeed("commit", "parks", before, "--dry-run")
    #expect(
      outcome.text.hasSuffix(": would change: 1 removed, 2 moved, 1 updated; 4 items\n"))
    #expect(harness.storeBytes() == bytes)
    #expect(try await harness.succeed("log", "parks").text == log)
  }

  @Test func dryRunRefusesTheSameInputAsACommit() async throws {
    let harness = try await CommandLineHarness.withParks()
    let outcome = try await harness.run("commit", "parks", before, "--dry-run", "--expect", "1")
    expectRefusal(outcome, code: 4, says: ["parks is at 2-"])
  }

  @Test func dryRunAndRefusedFirstCommitCreateNoStore() async throws {
    let harness = try CommandLineHarness()
    let outcome = try await harness.succeed("commit", "parks", before, "--dry-run")
    #expect(outcome.text.contains("would change: 4 inserted; 4 items"))
    let refused = try await harness.run("commit", "parks", before, "--expect", "7")
    expectRefusal(refused, code: 4, says: ["parks is at 0-", "not at 7"])
    #expect(harness.storeBytes().map(\.count) == [0, 0])
  }

  @Test func storeWithAnInterruptedCreationCountsAsAbsent() async throws {
    let harness = try CommandLineHarness()
    try harness.write([], to: "listsync.db")
    try await harness.succeed("commit", "parks", before, "--dry-run")
    try await harness.succeed("commit", "parks", before, "--expect", "0")
    try await harness.succeed("verify")
  }

  @Test func idRuleIsStoredUntilAnotherIsGiven() async throws {
    let harness = try CommandLineHarness()
    let first = #"[{"code":"a","id":1},{"code":"b","id":1}]"#
    let second = #"[{"code":"b","id":1},{"code":"a","id":1},{"code":"c","id":1}]"#
    let refused = try await harness.run("commit", "l", "-", input: first)
    expectRefusal(refused, code: 1, says: ["1 item repeats an id"])
    try await harness.succeed("commit", "l", "-", "--id", "code", input: first)
    let moved = try await harness.succeed("commit", "l", "-", input: second)
    #expect(moved.text.contains("1 moved, 1 inserted; 3 items"))
    let again = try await harness.run("commit", "l", "-", "--id", "id", input: second)
    expectRefusal(again, code: 1, says: ["2 items repeat an id"])
    // The rule of a refused commit is not remembered.
    try await harness.succeed("commit", "l", "-", input: first)
  }

  @Test func itemsAreShownWithTheTitleOfTheList() async throws {
    let harness = try CommandLineHarness()
    let films = #"[{"id":"a","info":{"Name":"Ran"},"name":"no"},{"id":"b","name":"Yojimbo"}]"#
    try await harness.succeed("commit", "films", "-", input: films)
    try await harness.succeed("commit", "films", "-", "--title", "/info/Name", input: films)
    for arguments in [
      ["diff", "films", "0"], ["log", "films", "-p"], ["log", "films", "--item", "a"],
      ["blame", "films"], ["grep", "films", "Ran"],
    ] {
      let outcome = try await harness.run(arguments)
      #expect(outcome.text.contains("a  Ran") && !outcome.text.contains("a  no"), "\(outcome)")
    }
    let diff = try await harness.succeed("diff", "films", "0").text
    #expect(diff.contains("b  Yojimbo"))
    let refused = try await harness.run("commit", "films", "-", "--title", "Name")
    #expect(refused.exitCode == 2 && refused.errorText.contains("JSON Pointer"), "\(refused)")
  }

  @Test func idRuleOfOneListDoesNotApplyToAnother() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "a", "-", "--id", "code", input: #"[{"code":1}]"#)
    let outcome = try await harness.run("commit", "b", "-", input: #"[{"code":1}]"#)
    expectRefusal(outcome, code: 1, says: ["no 'id'"])
  }

  @Test func compoundIdIsFoundByItsParts() async throws {
    let harness = try CommandLineHarness()
    let first = "title,year,seen\nHeat,1986,no\nHeat,1995,no\n"
    let second = "title,year,seen\nHeat,1995,yes\nHeat,1986,no\n"
    try await harness.succeed("commit", "l", "-", "--id", "title", "--id", "year", input: first)
    try await harness.succeed("commit", "l", "-", input: second)
    let lines = try await harness.succeed(
      "log", "l", "--item", "Heat", "--item", "1995"
    ).lines
    #expect(lines.count == 3)
    #expect(lines[0].hasSuffix("updated, 1 → 0"))
    #expect(lines[1] == #"    /seen  "no" → "yes""#)
    #expect(lines[2].hasSuffix("inserted at 1  Heat / 1995  Heat"))
    let half = try await harness.run("log", "l", "--item", "Heat")
    expectRefusal(
      half, code: 3, says: ["no kept version of l contains an item 'Heat'", "Repeat --item"])
  }

  @Test func firstExistingFieldOfTwoIsTheId() async throws {
    let harness = try CommandLineHarness()
    let text = #"[{"Link":"a"},{"link":"b"},{"Link":null,"link":"c"}]"#
    try await harness.succeed("commit", "l", "-", "--id", "Link|link", input: text)
    let delta = try await harness.succeed("delta", "l", "--since", "0").output
    #expect(try DeltaDocument(delta).changes.inserted.map(\.item.id.text) == ["a", "b", "c"])
  }

  @Test func bareStringsAreUsedAsTheirIds() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", "--id", ".", input: #"["a","b"]"#)
    try await harness.succeed("commit", "l", "-", input: #"["b","a","c"]"#)
    let lines = try await harness.succeed("diff", "l", "1").lines
    #expect(Array(lines.dropFirst()) == ["> 0 → 1  a", "+ 2  c"])
  }

  @Test(arguments: [
    ("keep-first", #"{"id":"a","n":1},"# + "\n" + #"{"id":"b"}"#),
    ("keep-last", #"{"id":"b"},"# + "\n" + #"{"id":"a","n":2}"#),
  ])
  func standardErrorCountsTheOmittedItems(policy: String, items: String) async throws {
    let harness = try CommandLineHarness()
    let text = #"[{"id":"a","n":1},{"id":"b"},{"name":"none"},{"id":"a","n":2}]"#
    let outcome = try await harness.succeed(
      "commit", "l", "-", "--duplicates", policy, input: text)
    #expect(outcome.errorText == "left out 2 items with a repeated id or none\n")
    #expect(outcome.text.hasSuffix("2 inserted; 2 items\n"))
    #expect(try await harness.succeed("show", "l").text == "[\n\(items)\n]\n")
  }

  @Test func commitKeepsTheGivenTimeMessageAndAuthor() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed(
      "commit", "parks", before, "--at", "1999-12-31", "-m", "Old", "--author", "ranger")
    try await harness.succeed("commit", "parks", after, "--at", "2000-01-01T01:30:00.250+02:00")
    let lines = try await harness.succeed("log", "parks").lines
    #expect(lines[0].contains("  1999-12-31T23:30:00.250Z  5 items: "))
    #expect(lines[1].contains("  1999-12-31  4 items: 4 inserted"))
    #expect(lines[2] == "    Old (ranger)")
    let day = try await harness.succeed("show", "parks@1999-12-31").text
    #expect(day == (try await harness.succeed("show", "parks@2").text))
    let morning = try await harness.succeed("show", "parks@1999-12-31T12:00:00Z").text
    #expect(morning == (try await harness.succeed("show", "parks@1").text))
  }

  @Test func printedTimeSelectsItsOwnVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    let log = try await harness.succeed("log", "parks", "--json").json()
    for entry in try #require(log as? [[String: Any]]) {
      let (version, time) = (entry["version"] as? Int, entry["committed_at"] as? String)
      let byTime = try await harness.succeed("show", "parks@\(try #require(time))").text
      let byNumber = try await harness.succeed("show", "parks@\(try #require(version))").text
      #expect(byTime == byNumber)
    }
  }

  @Test func storeOptionOverridesVariableAndVariableOverridesFolder() async throws {
    let harness = try CommandLineHarness()
    let environment = ["LISTSYNC_STORE": "variable.db"]
    let arguments = ["commit", "parks", before]
    for extra in [[], ["--store", "option.db"]] {
      let outcome = try await harness.run(arguments + extra, environment: environment)
      #expect(outcome.exitCode == 0)
    }
    #expect(try harness.fileNames() == ["option.db", "variable.db"])
    try await harness.succeed("commit", "parks", before)
    #expect(try harness.fileNames() == ["listsync.db", "option.db", "variable.db"])
  }

  @Test func listMayBecomeEmptyAndBeFilledAgain() async throws {
    let harness = try await CommandLineHarness.withParks()
    let emptied = try await harness.succeed("commit", "parks", "-", input: "[]")
    #expect(emptied.text.hasSuffix("5 removed; 0 items\n"))
    try await harness.succeed("commit", "parks", after)
    #expect(
      try await harness.succeed("show", "parks").text
        == (try await harness.succeed("show", "parks@2").text))
    try await harness.succeed("verify")
  }

  @Test func dateBeforeTheHeadsNeedsAnOption() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "parks", before, "--at", "2026-05-01")
    let earlier = ["commit", "parks", after, "--at", "2026-04-30"]
    for options in [[], ["--dry-run"]] {
      expectRefusal(
        try await harness.run(earlier + options), code: 1,
        says: [
          "2026-04-30 is before the date of parks version 1, 2026-05-01", "--allow-earlier-date",
        ])
    }
    #expect(try await harness.run(earlier + ["--allow-earlier-date"]).exitCode == 0)
    expectRefusal(
      try await harness.run("commit", "parks", after, "--allow-earlier-date"), code: 2,
      says: ["only --at gives a date"])
  }
}
