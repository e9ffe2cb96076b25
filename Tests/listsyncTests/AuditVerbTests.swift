import Foundation
import Testing

/// The verbs with which an auditor reads a history.
struct AuditVerbTests {
  /// Four versions of a list of films.
  private static let films = PreparedStore { harness in
    let versions = [
      (
        #"[{"id":"t1","rating":8.7,"title":"Alien"},{"id":"t2","title":"Big"}]"#, "2026-01-01",
        "ann"
      ),
      (
        #"[{"id":"t1","rating":8.6,"title":"Alien"},{"id":"t2","title":"Big"}]"#, "2026-02-01",
        "bob"
      ),
      (
        #"[{"id":"t2","title":"Big!"},{"id":"t1","rating":8.6,"title":"Alien"}]"#, "2026-03-01",
        "ann"
      ),
      (#"[{"id":"t1","rating":8.5,"title":"Alien"},{"id":"t3"}]"#, "2026-04-01", "cy"),
    ]
    for (number, (text, time, author)) in versions.enumerated() {
      try await harness.succeed(
        "commit", "films", "-", "--at", time, "--author", author, "-m", "Step \(number + 1)",
        input: text)
    }
  }

  @Test(arguments: [
    ([], [4, 3, 2, 1]), (["-n", "2"], [4, 3]), (["--reverse"], [1, 2, 3, 4]),
    (["--reverse", "-n", "2"], [3, 4]), (["--since", "2"], [4, 3]), (["--until", "2"], [2, 1]),
    (["--since", "1", "--until", "head~1"], [3, 2]), (["--since", "2026-02-01"], [4, 3, 2]),
    (["--until", "2026-02-01"], [2, 1]), (["--author", "AN"], [3, 1]), (["--grep", "step 2"], [2]),
    (["--author", "ann", "-n", "1"], [3]), (["--changed", "/rating"], [4, 2]),
    (["--changed", "/title"], [3]), (["--changed", "/title", "--changed", "/rating"], [4, 3, 2]),
    (["--changed", "/rating", "--author", "bob"], [2]), (["--since", "4"], []),
  ])
  func logSelectsVersions(options: [String], expected: [Int]) async throws {
    let harness = try await Self.films.harness()
    let outcome = try await harness.run(["log", "films", "--json"] + options)
    let records = try #require(try outcome.json() as? [[String: Any]])
    #expect(records.map { $0["version"] as? Int } == expected)
    #expect(outcome.exitCode == 0)
  }

  @Test(arguments: [
    (
      ["t1"],
      [
        "at 0 since version 4, 2026-04-01",
        "at 1 in version 3, 2026-03-01 to 2026-04-01, 31 days",
        "at 0 from version 1 to 2, 2026-01-01 to 2026-03-01, 59 days",
      ]
    ),
    (["t1", "-n", "1"], ["at 0 since version 4, 2026-04-01"]),
    (
      ["t1", "--since", "2026-03-15", "--until", "3"],
      ["at 1 in version 3, 2026-03-01 to 2026-04-01, 31 days"]
    ),
    (
      ["t1", "--first", "1", "--reverse"],
      [
        "in the first 1 from version 1 to 2, 2026-01-01 to 2026-03-01, 59 days; best index 0",
        "in the first 1 since version 4, 2026-04-01; best index 0",
      ]
    ),
    (
      ["t2", "--first", "2"],
      ["in the first 2 from version 1 to 3, 2026-01-01 to 2026-04-01, 90 days; best index 0"]
    ),
    (["t3", "--first", "1"], []),
  ])
  func logShowsThePlacesOfAnItem(options: [String], expected: [String]) async throws {
    let harness = try await Self.films.harness()
    let outcome = try await harness.run(["log", "films", "--places", "--item"] + options)
    #expect(outcome.lines == expected, "\(outcome)")
    #expect(outcome.exitCode == 0)
  }

  @Test func placesAsJSONHaveVersionsIndexAndTimes() async throws {
    let harness = try await Self.films.harness()
    let json = try await harness.succeed("log", "films", "--item", "t2", "--places", "--json")
    let runs = try #require(try json.json() as? [[String: Any]])
    #expect(runs.map { $0["from"] as? Int } == [3, 1])
    #expect(runs.map { $0["to"] as? Int } == [3, 2])
    #expect(runs.map { $0["index"] as? Int } == [0, 1])
    #expect(
      runs.map { $0["ended_at"] as? String } == ["2026-04-01T00:00:00Z", "2026-03-01T00:00:00Z"])
    let ndjson = try await harness.succeed(
      "log", "films", "--item", "t2", "--places", "--format", "ndjson")
    #expect(ndjson.lines.count == 2)
    try await harness.succeed("prune", "films", "--keep-last", "2")
    let lines = try await harness.succeed("log", "films", "--item", "t2", "--places").lines
    #expect(lines.first == "at 0 in version 3, 2026-03-01 to 2026-04-01, 31 days")
    #expect(lines.last?.contains("pruned") == true)
  }

  @Test(arguments: [
    (["--places"], "--places needs --item ID"), (["--first", "3"], "--first needs --places"),
    (["--item", "t1", "--first", "3"], "--first needs --places"),
    (["--item", "t1", "--places", "-p"], "leave out -p"),
    (["--item", "t1", "--places", "--author", "ann"], "leave out -p"),
    (["--item", "t1", "--places", "--format", "full"], "leave out -p"),
    (["--item", "t1", "--places", "--first", "0"], "--first"),
  ])
  func optionsThatDoNotFitPlacesAreRefused(options: [String], message: String) async throws {
    let harness = try await Self.films.harness()
    let outcome = try await harness.run(["log", "films"] + options)
    #expect(outcome.exitCode == 2)
    #expect(outcome.errorText.contains(message), "\(outcome)")
  }

  @Test func patchShowsTheChangesOfEachVersion() async throws {
    let harness = try await Self.films.harness()
    let lines = try await harness.succeed("log", "films", "-p", "-n", "1").lines
    #expect(
      Array(lines.dropFirst(2)) == [
        "    - 0  t2  Big!", "    ~ 1 → 0  t1  Alien", "          /rating  8.6 → 8.5",
        "    + 1  t3",
      ])
    let json = try await harness.succeed("log", "films", "-p", "-n", "1", "--format", "ndjson")
    let record = try #require(try json.json() as? [String: Any])
    let delta = try #require(record["delta"] as? [String: Any])
    #expect(delta["format"] as? String == "list-delta/1")
    #expect(json.lines.count == 1)
  }

  @Test func patchOfAPrunedListStopsAtItsOldestVersion() async throws {
    let harness = try await Self.films.harness()
    try await harness.succeed("prune", "films", "--keep-last", "2")
    let lines = try await harness.succeed("log", "films", "-p", "--format", "oneline").lines
    #expect(lines.filter { !$0.hasPrefix(" ") }.count == 3)
    #expect(lines.filter { $0.hasPrefix("    ") }.count == 4)
  }

  @Test func fieldOfAnItemShowsItsValuesOverTime() async throws {
    let harness = try await Self.films.harness()
    let options = ["log", "films", "--item", "t1", "--field", "/rating", "--format", "oneline"]
    let lines = try await harness.run(options).lines.map {
      $0.split(separator: " ").dropFirst().joined(separator: " ")
    }
    #expect(
      lines == [
        "2026-04-01 8.6 → 8.5 Step 4 (cy)", "2026-02-01 8.7 → 8.6 Step 2 (bob)",
        "2026-01-01 (new) → 8.7 Step 1 (ann)",
      ])
    #expect(try await harness.run(options + ["--reverse", "--since", "1"]).lines.count == 2)
  }

  @Test func patchOfAnItemShowsTheMembersItCameAndWentWith() async throws {
    let harness = try await Self.films.harness()
    let lines = try await harness.succeed("log", "films", "--item", "t2", "-p").lines
    #expect(lines.contains(#"    /title  "Big!" → (gone)"#))
    #expect(lines.contains(#"    /title  "Big" → "Big!""#))
    #expect(lines.contains(#"    /title  (new) → "Big""#))
  }

  @Test func fullFormatNamesEveryFact() async throws {
    let harness = try await Self.films.harness()
    let lines = try await harness.succeed("log", "films", "-n", "1", "--format", "full").lines
    #expect(lines[0].hasPrefix("version 4-"))
    #expect(Array(lines[1...2]) == ["date      2026-04-01", "author    cy"])
    #expect(lines.last == "    Step 4")
  }

  @Test(arguments: [
    (["log", "films", "--field", "/rating"], "--field needs --item"),
    (["log", "films", "--item", "t1", "--changed", "/rating"], "use --field"),
    (["log", "films", "--json", "--format", "full"], "of the layouts"),
    (["log", "films", "--changed", "rating"], "JSON Pointer"),
    (["diff", "films", "--stat", "--name-only"], "not both"),
    (["diff", "films", "--stat", "--json"], "for text"),
    (["diff", "films", "1", "2", "3"], "LIST@REV..REV"),
    (["show", "films", "--ids", "--format", "csv"], "--ids has a format of its own"),
  ])
  func contradictoryOptionsAreRefused(arguments: [String], text: String) async throws {
    let harness = try await Self.films.harness()
    expectRefusal(try await harness.run(arguments), code: 2, says: [text])
  }

  @Test func blameNamesTheLastSetterOfItemsAndMembers() async throws {
    let harness = try await Self.films.harness()
    let items = try await harness.succeed("blame", "films").lines
    #expect(
      items.map { String($0.dropFirst(16)) } == [
        "2026-04-01  cy  2 changes  t1  Alien", "2026-04-01  cy  0 changes  t3",
      ])
    let members = try await harness.succeed("blame", "films", "--item", "t1").lines
    #expect(
      members.map { String($0.dropFirst(16)) } == [
        "2026-01-01  ann  0 changes  /id      \"t1\"", "2026-04-01  cy   2 changes  /rating  8.5",
        "2026-01-01  ann  0 changes  /title   \"Alien\"",
      ])
    expectRefusal(
      try await harness.run("blame", "films", "--item", "t2"), code: 3, says: ["no item 't2'"])
  }

  @Test func diffShowsStatisticsIdsAndChosenMembers() async throws {
    let harness = try await Self.films.harness()
    func lines(_ options: String...) async throws -> [String] {
      Array(try await harness.run(["diff"] + options).lines)
    }
    #expect(try await lines("films@1..4", "--name-only") == ["t2", "t1", "t3"])
    #expect(
      try await lines("films", "1", "3", "--stat").dropFirst() == [
        "~ 1  /rating  such as 8.7 → 8.6", #"~ 1  /title  such as "Big" → "Big!""#,
      ])
    #expect(
      try await lines("films", "1..3", "--field", "/rating").dropFirst() == [
        "~ 0 → 1  t1  Alien", "      /rating  8.7 → 8.6",
      ])
    #expect(
      try await lines("films@1", "--ignore-field", "/rating", "--ignore-field", "/title")[0]
        .hasSuffix(": 1 removed, 1 inserted"))
    let quiet = try await harness.run(
      "diff", "films", "1", "2", "--ignore-field", "/rating", "--exit-code")
    #expect(quiet.exitCode == 0)
    #expect(try await harness.run("diff", "films", "1", "2", "--exit-code").exitCode == 1)
  }

  @Test func longValuesAreCutAroundTheirFirstDifference() async throws {
    let harness = try CommandLineHarness()
    let start = String(repeating: "x", count: 500)
    for end in ["old", "new"] {
      try await harness.succeed(
        "commit", "l", "-", input: #"[{"id":"a","t":"\#(start)\#(end)"}]"#)
    }
    let line = try #require(try await harness.succeed("diff", "l").lines.last)
    #expect(line.contains("xold\"") && line.contains("xnew\"") && line.count < 120, "\(line)")
  }

  @Test func showPrintsEachFormat() async throws {
    let harness = try await Self.films.harness()
    func text(_ options: String...) async throws -> String {
      try await harness.run(["show"] + options).text
    }
    #expect(try await text("films", "--ids") == "t1\nt3\n")
    #expect(try await text("films", "--format", "csv") == "id,rating,title\nt1,8.5,Alien\nt3,,\n")
    #expect(try await text("films", "--format", "tsv").hasPrefix("id\trating\ttitle\n"))
    #expect(try await text("films@1", "--item", "t2") == "{\"id\":\"t2\",\"title\":\"Big\"}\n")
    #expect(try await text("films", "--format", "ndjson").split(separator: "\n").count == 2)
    expectRefusal(
      try await harness.run("show", "films", "--item", "t2"), code: 3,
      says: ["films has no item 't2' in this version"])
  }

  @Test func grepFindsItemsInTheHeadAndInAllVersions() async throws {
    let harness = try await Self.films.harness()
    #expect(
      try await harness.succeed("grep", "films", "alien", "-i").lines
        == [#"t1  Alien  /title  "Alien""#])
    #expect(
      try await harness.succeed("grep", "films", "Big", "--all-versions").lines
        == [#"1–3  t2  Big!  /title  "Big!""#])
    let none = try await harness.run("grep", "films", "Big")
    #expect(none.exitCode == 1 && none.text.isEmpty && none.errorText.isEmpty)
    let json = try await harness.succeed("grep", "films", "8.7", "--all-versions", "--json").json()
    let first = try #require((json as? [[String: Any]])?.first)
    #expect(first["id"] as? String == "t1" && first["path"] as? String == "/rating")
    #expect(first["versions"] as? [[String: Int]] == [["from": 1, "to": 1]])
  }
}
