import Foundation
import Testing

/// Answers for people.
struct TextOutputTests {
  private let before = Example.url("parks-before.json").path
  private let after = Example.url("parks-after.json").path

  @Test func diffShowsBothIndexesOfAMoveAndBothValuesOfAMember() async throws {
    let harness = try await CommandLineHarness.withParks()
    let lines = try await harness.succeed("diff", "parks", "1", "2").lines
    #expect(lines[0].hasSuffix(": 2 moved, 1 inserted, 1 updated"))
    #expect(
      Array(lines.dropFirst()) == [
        "> 3 → 0  zion",
        "+ 1  grand-canyon  Grand Canyon",
        "~ 1 → 2  great-smoky-mountains  Great Smokies",
        #"      /name  "Great Smoky Mountains" → "Great Smokies""#,
        "> 0 → 4  arches",
      ])
  }

  @Test func backwardDiffRemovesTheInsertedItem() async throws {
    let harness = try await CommandLineHarness.withParks()
    let lines = try await harness.succeed("diff", "parks", "2", "1").lines
    #expect(lines[1] == "- 1  grand-canyon  Grand Canyon")
    #expect(lines.contains(#"      /name  "Great Smokies" → "Great Smoky Mountains""#))
  }

  @Test func movedAndUpdatedItemIsOneEntry() async throws {
    let harness = try CommandLineHarness()
    for text in [
      #"[{"id":"a","n":{"x":1,"y":[1]}},{"id":"b"},{"id":"c"}]"#,
      #"[{"id":"b"},{"id":"c"},{"id":"a","n":{"y":[2]},"m":null}]"#,
    ] { try await harness.succeed("commit", "l", "-", input: text) }
    let lines = try await harness.succeed("diff", "l", "1").lines
    #expect(
      Array(lines.dropFirst()) == [
        ">~ 0 → 2  a", "      /m  (new) → null", "      /n/x  1 → (gone)", "      /n/y  [1] → [2]",
      ])
  }

  @Test(arguments: [
    ["diff", "parks", "1"], ["log", "parks"], ["log", "parks", "--item", "zion"],
  ])
  func colourIsPrintedOnlyOnRequest(_ arguments: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    let auto = try await harness.run(arguments).text
    let never = try await harness.run(arguments + ["--color", "never"]).text
    let always = try await harness.run(arguments + ["--color", "always"]).text
    #expect(!auto.isEmpty && !auto.contains("\u{1B}"), "a file is no terminal")
    #expect(never == auto)
    #expect(always.contains("\u{1B}[33m") && always.contains("\u{1B}[0m"))
    #expect(always.replacing(/\u{1B}\[[0-9]+m/, with: "") == never)
  }

  @Test func compareTextEqualsTheDiffWithoutVersionNames() async throws {
    let harness = try await CommandLineHarness.withParks()
    let diff = try await harness.succeed("diff", "parks", "1").lines
    let compared = try await harness.succeed("compare", before, after, "--text").lines
    #expect(compared.first == "4 items → 5 items: 2 moved, 1 inserted, 1 updated")
    #expect(compared.dropFirst() == diff.dropFirst())
  }

  @Test func noColorVariableDisablesColoursOnATerminal() async throws {
    let harness = try await CommandLineHarness.withParks()
    for (variable, isColoured) in [("", true), ("1", false)] {
      let terminal = try PseudoTerminal()
      let outcome = try await harness.run(
        ["diff", "parks", "1"], environment: ["NO_COLOR": variable], outputPath: terminal.path)
      let text = terminal.text()
      #expect(outcome.exitCode == 0)
      #expect(text.contains("+ 1  grand-canyon"))
      #expect(text.contains("\u{1B}[32m") == isColoured)
    }
  }

  /// Control characters in ids, names, members and values.
  private static let hostileVersions = [
    #"[{"id":"a\u001b[31mb","name":"x\u001b]0;t\u0007","k\u001b":1},"#
      + #"{"id":"z\u009b2J","v":"\u0085"}]"#,
    #"[{"id":"z\u009b2J","v":"\u001b"},"#
      + #"{"id":"a\u001b[31mb","name":"x\u007f\r","k\u001b":2},{"id":"\b"}]"#,
  ]

  private func expectNoControlCharacters(
    in text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let raw = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
    #expect(
      !text.isEmpty && raw.isEmpty, "\(text.debugDescription)", sourceLocation: sourceLocation)
  }

  private func withHostileList() async throws -> CommandLineHarness {
    let harness = try CommandLineHarness()
    for text in Self.hostileVersions {
      try await harness.succeed(
        "commit", "l", "-", "-m", "m\u{1B}[2J\nnext", "--author", "a\u{9B}1m", input: text)
    }
    return harness
  }

  @Test(arguments: [
    ["diff", "l", "1"], ["diff", "l", "2", "0"], ["log", "l"],
    ["log", "l", "--item", "a\u{1B}[31mb"],
    ["log", "l", "--item", "z\u{9B}2J"],
  ])
  func controlCharactersOfAnswersAreEscaped(_ arguments: [String]) async throws {
    let harness = try await withHostileList()
    let text = try await harness.run(arguments).text
    expectNoControlCharacters(in: text)
    #expect(text.contains(#"\u{1b}["#) || text.contains(#"\u{9b}"#))
  }

  @Test func messageOfTwoLinesIsPrintedOnOneLine() async throws {
    let harness = try await withHostileList()
    let lines = try await harness.succeed("log", "l").lines
    #expect(lines.count == 4)
    #expect(lines[1] == #"    m\u{1b}[2J\nnext (a\u{9b}1m)"#)
  }

  @Test(arguments: [
    #"[{"id":"a","\u001b[31m":1,"\u001b[31m":2}]"#, #"{"\u001b[31m":[]}"#, "[\u{9B}31m]",
    #"[{"\u001b[31m":1}]"#, #"[{"id":"\u001b[31m"},{"id":"\u001b[31m"}]"#,
    "id,\u{1B}[31m,\u{1B}[31m\n", "\u{1B}[31m,name\n",
  ])
  func controlCharactersOfBadInputAreEscaped(_ input: String) async throws {
    let harness = try CommandLineHarness()
    let outcome = try await harness.run("commit", "l", "-", input: input)
    #expect(outcome.exitCode == 1 && outcome.output.isEmpty)
    expectNoControlCharacters(in: outcome.errorText)
    #expect(outcome.errorText.contains(#"\u{"#))
  }

  @Test(arguments: [
    ["\u{1B}[31m"], ["show", "\u{1B}[31m"], ["show", "l@\u{1B}[31m"], ["diff", "l", "\u{1B}[31m"],
    ["commit", "l", "\u{1B}[31m.json"], ["lists", "--store", "\u{1B}[31m.db"],
    ["log", "l", "--item", "\u{1B}[31m"], ["commit", "l", "-", "--id", "\u{1B}[31m"],
  ])
  func controlCharactersOfArgumentsAreEscaped(_ arguments: [String]) async throws {
    // A script may pass on names with any characters.
    let harness = try await withHostileList()
    let outcome = try await harness.run(arguments, input: Array(#"[{"id":1}]"#.utf8))
    #expect(outcome.exitCode != 0 && outcome.output.isEmpty)
    expectNoControlCharacters(in: outcome.errorText)
    #expect(outcome.errorText.contains(#"\u{1b}[31m"#))
  }

  @Test func listsAreShownInColumns() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "parks", before, "--at", "2026-11-21")
    try await harness.succeed("commit", "m", "-", "--at", "2026-11-21T11:37:00Z", input: "[]")
    let lines = try await harness.succeed("lists").lines
    #expect(lines.count == 2)
    #expect(lines[0] == "m      0-000000000000  0 items  never committed")
    #expect(lines[1].hasPrefix("parks  1-") && lines[1].hasSuffix("  4 items  2026-11-21"))
  }

  @Test func listsAreShownPageByPageAndByTheBeginningOfTheirNames() async throws {
    let harness = try CommandLineHarness()
    let names = ["team-a", "b", "team-b", "a", "team-c"]
    for name in names { try await harness.succeed("commit", name, "-", input: "[]") }
    for (arguments, expected) in [
      ([], names.sorted()), (["-n", "2"], ["a", "b"]),
      (["--limit", "2", "--after", "b"], ["team-a", "team-b"]),
      (["--after", "team-b"], ["team-c"]),
      (["--prefix", "team-"], ["team-a", "team-b", "team-c"]),
      (["--prefix", "team-", "--after", "team-a", "-n", "1"], ["team-b"]),
    ] {
      let lines = try await harness.run(["lists"] + arguments, input: []).lines
      #expect(lines.map { String($0.prefix { $0 != " " }) } == expected, "\(arguments)")
    }
    let none = try await harness.run("lists", "--prefix", "x")
    #expect(none.exitCode == 0 && none.text.isEmpty && none.errorText.contains("no such lists"))
    #expect(try await harness.succeed("lists", "--prefix", "x", "--json").text == "[]\n")
    for (option, value) in [("--limit", "0"), ("--limit", "x"), ("--after", "a b")] {
      #expect(try await harness.run("lists", option, value).exitCode == 2)
    }
  }

  @Test func numericIDIsFoundInAnySpelling() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed(
      "commit", "l", "-", input: #"[{"id":1e30},{"id":"2e30"},{"id":1.50},{"id":7}]"#)
    for (written, id) in [("1e30", "1e+30"), ("1e+30", "1e+30"), ("2e30", "2e30"), ("1.50", "1.5")]
    {
      let log = try await harness.succeed("log", "l", "--item", written)
      #expect(log.text.contains("inserted at") && log.text.contains(id), "\(written)")
    }
    expectRefusal(
      try await harness.run("log", "l", "--item", "3e30"), code: 3,
      says: ["no kept version of l contains an item '3e30'"])
    try harness.write(#"{"id":7}"#, to: "seven")
    try await harness.succeed(
      "edit", "l", "--remove", "1.50", "--put", "seven", "--before", "10e29")
    let shown = try await harness.succeed("show", "l").text
    #expect(shown == "[\n{\"id\":7},\n{\"id\":1e+30},\n{\"id\":\"2e30\"}\n]\n")
  }

  @Test func directionChangesAreEscapedInEveryAnswerForPeople() async throws {
    let harness = try CommandLineHarness()
    let bidi = "\u{202E}txt\u{200B}"
    try harness.write(#"[{"id":"\#(bidi)","name":"\#(bidi)!"}]"#, to: "list.json")
    try await harness.succeed("commit", "l", "list.json", "-m", bidi, "--author", bidi)
    try harness.write(#"[{"id":"\#(bidi)","name":"other\#(bidi)"}]"#, to: "list.json")
    try await harness.succeed("commit", "l", "list.json", "-m", bidi)
    let answers = [
      ["log", "l"], ["diff", "l", "1"], ["diff", "l", "0"], ["log", "l", "--item", bidi],
      ["edit", "l", "--remove", "no" + bidi], ["commit", "l", "none\(bidi).json"],
    ]
    for arguments in answers {
      let outcome = try await harness.run(arguments)
      let text = outcome.text + outcome.errorText
      #expect(text.contains("\\u{202e}txt\\u{200b}"), "\(arguments) \(outcome)")
      #expect(
        !text.unicodeScalars.contains("\u{202E}") && !text.unicodeScalars.contains("\u{200B}"))
    }
    #expect(try await harness.succeed("show", "l").text.contains(bidi))
  }

  @Test func timesAreLocalOnRequestAndJSONStaysInUTC() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "parks", before, "--at", "2026-11-21")
    let zone = ["TZ": "NPT-05:45"]
    let lists = try await harness.run("lists", "--local", environment: zone)
    #expect(lists.text.hasSuffix("  2026-11-21T05:45:00+05:45\n"), "\(lists)")
    let west = try await harness.run("lists", "--local", environment: ["TZ": "BRT3"])
    #expect(west.text.hasSuffix("  2026-11-20T21:00:00-03:00\n"), "\(west)")
    let json = try await harness.run("lists", "--local", "--json", environment: zone)
    #expect(json.text.contains(#""committed_at":"2026-11-21T00:00:00Z""#))
  }

  @Test func dryRunWithoutChangesSaysSo() async throws {
    let harness = try await CommandLineHarness.withParks()
    let text = try await harness.succeed("commit", "parks", after, "--dry-run").text
    #expect(text.hasSuffix(": unchanged; 5 items\n"))
  }
}

@Suite struct LongAnswerTests {
  /// An answer of more than a mebibyte waits in a file; without a place for one, in memory.
  @Test func longListIsShownWholeWithAndWithoutATemporaryFile() async throws {
    let harness = try CommandLineHarness()
    let text = String(repeating: "a", count: 400)
    let items = (0..<6000).map { #"{"id":"\#($0)","text":"\#(text)"}"# }
    let list = "[\n" + items.joined(separator: ",\n") + "\n]\n"
    try await harness.succeed("commit", "long", "-", input: list)
    for place in ["/tmp", "/nowhere"] {
      for (words, shown) in [
        ([], list), (["--format", "ndjson"], items.map { $0 + "\n" }.joined()),
        (["--ids"], (0..<6000).map { "\($0)\n" }.joined()),
      ] {
        let outcome = try await harness.run(
          ["show", "long"] + words, environment: ["TMPDIR": place])
        #expect(outcome.exitCode == 0 && outcome.text == shown, "\(outcome.errorText)")
      }
    }
  }
}
