import Foundation
import ListDocuments
import ListModel
import Testing

/// `edit`, `commit --delta`, and the pages and fallbacks of `delta`.
struct EditTests {
  private static let zion = "{\n  \"id\": \"bryce\",\n  \"name\": \"Bryce Canyon\"\n}\n"

  private func ids(_ harness: CommandLineHarness, _ target: String = "parks") async throws
    -> [String]
  {
    let items = try await harness.succeed("show", target).json() as? [[String: Any]]
    return (items ?? []).compactMap { $0["id"] as? String }
  }

  /// A former fault: the list "has no item 'zion'", which it has.
  @Test func itemBesideItselfIsRefusedAsSuch() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(#"{"id":"zion"}"#, to: "item.json")
    let text = "item 'zion' of parks cannot be placed beside itself"
    expectRefusal(
      try await harness.run("edit", "parks", "--put", "item.json", "--before", "zion"), code: 1,
      says: [text, "Name another item as its neighbour"])
    let lines = #"{"remove":"arches"}"# + "\n" + #"{"move":"zion","after":"zion"}"#
    expectRefusal(
      try await harness.run("edit", "parks", "--from", "-", input: lines), code: 1,
      says: ["standard input:2:1: \(text)"])
  }

  @Test func itemsArePutAndRemovedByTheirIDs() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(Self.zion, to: "bryce.json")
    let before = try await ids(harness)
    let put = try await harness.succeed(
      "edit", "parks", "--put", "bryce.json", "--after", "zion", "-m", "Bryce", "--author", "Ann")
    #expect(put.text.hasSuffix(": 1 inserted; 6 items\n"))
    #expect(try await ids(harness) == ["zion", "bryce"] + before.dropFirst())
    let again = try await harness.succeed("edit", "parks", "--put", "bryce.json")
    #expect(again.text.hasSuffix(": unchanged; 6 items\n"))
    let moved = try await harness.succeed("edit", "parks", "--put", "bryce.json", "--to", "5")
    #expect(moved.text.hasSuffix(": 1 moved; 6 items\n"))
    try await harness.succeed("edit", "parks", "--remove", "zion", "--remove", "bryce")
    #expect(try await ids(harness) == Array(before.dropFirst()))
    #expect(try await harness.succeed("log", "parks").text.contains("    Bryce (Ann)\n"))
    #expect(try await harness.run("verify", "--store", "listsync.db").exitCode == 0)
  }

  @Test func putKeepsTheOrderOfSeveralItems() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write("{\"id\":\"a\"}\n{\"id\":\"b\"}\n", to: "lines")
    try harness.write("[{\"id\":\"c\"},{\"id\":\"d\"}]", to: "array.json")
    let before = try await ids(harness)
    try await harness.succeed("edit", "parks", "--put", "lines", "--first")
    try await harness.succeed("edit", "parks", "--put", "array.json")
    #expect(try await ids(harness) == ["a", "b"] + before + ["c", "d"])
  }

  @Test func linesOfAFileAreOneVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = try await ids(harness)
    try harness.write(
      """
      {"put":{"id":"bryce"},"after":"zion"}
      {"put":{"name":"Denali"},"id":"denali","first":true}
      {"move":"bryce","to":0}
      {"remove":"\(before[1])"}
      """, to: "edits.ndjson")
    let edit = ["edit", "parks", "--from", "edits.ndjson"]
    let preview = try await harness.run(edit + ["--dry-run"])
    #expect(try DeltaDocument(preview.output).changes.removed.map(\.id.text) == [before[1]])
    let done = try await harness.run(edit)
    #expect(done.text.hasSuffix(": 1 removed, 2 inserted; 6 items\n"), "\(done)")
    let contents = try await harness.succeed("show", "parks").lines
    #expect(
      contents[1...3] == [
        #"{"id":"bryce"},"#, #"{"name":"Denali"},"#, #"{"id":"zion","name":"Zion"},"#,
      ])
    let moved = try await harness.succeed(
      "edit", "parks", "--from", "-", "--json", input: #"{"move":"denali","last":true}"#)
    #expect(moved.text.contains("\"moved\":1"), "\(moved)")
    let nothing = try await harness.succeed("edit", "parks", "--from", "-")
    #expect(nothing.text.hasSuffix(": unchanged; 6 items\n"))
    #expect(try await harness.succeed("lists").text.hasPrefix("parks  4-"))
  }

  @Test func dryRunPrintsADeltaThatCommitAccepts() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(Self.zion, to: "bryce.json")
    let delta = try await harness.succeed(
      "edit", "parks", "--put", "bryce.json", "--before", "arches", "--remove", "zion",
      "--dry-run")
    #expect(try await harness.succeed("lists").text.hasPrefix("parks  2-"))
    try harness.write(delta.text, to: "delta.json")
    let committed = try await harness.succeed("commit", "parks", "--delta", "delta.json")
    #expect(committed.text.hasSuffix(": 1 removed, 1 inserted; 5 items\n"))
    let again = try await harness.run(
      ["commit", "parks", "--delta", "-", "--json"], input: Array(delta.output))
    #expect(again.exitCode == 0 && again.text.contains("\"repeated\""), "\(again)")
  }

  @Test func impossibleEditsAreRefusedWithAReason() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(Self.zion, to: "bryce.json")
    try harness.write("{\"remove\":\"zion\"}\n{\"move\":\"arches\"}\n", to: "edits")
    let put = #"{"put":{"id":"bryce"}}"#
    for (name, lines) in [
      ("absent", [put, "", #" {"move":"nowhere","last":true}"#]),
      ("anchor", [put, #"{"move":"zion","after":"nowhere"}"#]),
      ("twice", [#"{"remove":"zion"}"#, #"{"remove":"zion"}"#]),
      ("place", [put, #"{"move":"zion","to":6}"#]),
    ] {
      try harness.write(lines.joined(separator: "\n"), to: name)
    }
    let refusals: [([String], Int32, [String])] = [
      (
        ["--from", "edits"], 1,
        ["edits:2:1: the value is not a move with a place", "one edit per line"]
      ),
      (["--from", "absent"], 3, ["absent:3:2: parks has no item 'nowhere'"]),
      (["--from", "absent", "--dry-run"], 3, ["absent:3:2: parks has no item 'nowhere'"]),
      (["--from", "anchor"], 3, ["anchor:2:1: parks has no item 'nowhere'"]),
      (["--from", "twice"], 3, ["twice:2:1: item 'zion' of parks was removed by an earlier edit"]),
      (["--from", "place"], 3, ["place:2:1: parks has no place 6; it has 0 to 5"]),
      (["--from", "anchor", "--expect", "1"], 4, ["listsync: parks is at 2-"]),
      (["--from", "edits", "--remove", "zion"], 2, ["--from has all edits"]),
      (["--from", "edits", "--first"], 2, ["--from has all edits"]),
      (["--from", "edits", "--format", "csv"], 2, ["it takes only --id"]),
      (["--remove", "nowhere"], 3, ["parks has no item 'nowhere'"]),
      (
        ["--put", "bryce.json", "--after", "nowhere"], 3,
        ["parks has no item 'nowhere'"]
      ),
      (
        ["--remove", "zion", "--remove", "zion"], 3,
        ["item 'zion' of parks was removed by an earlier edit"]
      ),
      (["--put", "bryce.json", "--to", "6"], 3, ["parks has no place 6; it has 0 to 5"]),
      (["--put", "bryce.json", "--at", "5"], 2, ["write a time as"]),
      (["--put", "bryce.json", "--first", "--last"], 2, ["name one place only"]),
      (["--first", "--remove", "zion"], 2, ["a place needs an item"]),
      ([], 2, ["nothing to do"]),
      (["--put", "missing.json"], 1, ["cannot read missing.json"]),
      (["--put", "bryce.json", "--expect", "1"], 4, ["parks is at 2-"]),
    ]
    let before = try await harness.succeed("show", "parks").output
    for (arguments, code, words) in refusals {
      expectRefusal(
        try await harness.run(["edit", "parks"] + arguments), code: code, says: words)
    }
    expectRefusal(
      try await harness.run("edit", "films", "--remove", "x"), code: 3,
      says: ["there is no list 'films'"])
    #expect(try await harness.succeed("show", "parks").output == before)
  }

  @Test func unsuitableDeltaIsRefusedWithAReason() async throws {
    let harness = try await CommandLineHarness.withParks()
    let old = try await harness.succeed("delta", "parks", "--since", "0").text
    try harness.write(old, to: "old.json")
    try harness.write("{\"format\":\"list-delta/1\",\"kind\":\"snapshot\"}", to: "other.json")
    try harness.write("[1,", to: "broken.json")
    try await harness.succeed("edit", "parks", "--remove", "zion")
    let refusals: [([String], Int32, [String])] = [
      (["--delta", "old.json"], 4, ["parks is at 3-"]),
      (["--delta", "other.json"], 1, ["other.json: /kind is not \"changes\""]),
      (["--delta", "broken.json"], 1, ["broken.json: line 1, column 4: not JSON"]),
      (["--delta", "old.json", "--dry-run"], 4, ["parks is at 3-"]),
      (["old.json", "--delta", "old.json"], 2, ["name a snapshot file, or a delta"]),
      ([], 2, ["name a snapshot file, or a delta"]),
    ]
    for (arguments, code, words) in refusals {
      expectRefusal(
        try await harness.run(["commit", "parks"] + arguments), code: code, says: words)
    }
  }

  @Test func dryRunOfADeltaReportsItsChanges() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(
      try await harness.succeed("delta", "parks", "--since", "2", "--to", "1").text, to: "back.json"
    )
    let told = try await harness.succeed("commit", "parks", "--delta", "back.json", "--dry-run")
    #expect(told.text.hasPrefix("parks 2-") && told.text.contains("would change: "), "\(told)")
    #expect(try await harness.succeed("log", "parks").text.hasPrefix("2-"))
    try harness.write(
      try await harness.succeed("delta", "parks", "--since", "0", "--to", "1").text, to: "all.json")
    let first = ["commit", "new", "--delta", "all.json", "--dry-run", "--store", "other.db"]
    #expect(try await harness.run(first).text.hasPrefix("new 0"))
  }

  @Test func pagesEndOnExistingVersionsAndReachTheHead() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(Self.zion, to: "bryce.json")
    try await harness.succeed("edit", "parks", "--put", "bryce.json")
    try await harness.succeed("edit", "parks", "--remove", "zion")
    var (since, pages) = ("1", [DeltaDocument]())
    repeat {
      let page = try DeltaDocument(
        await harness.succeed("delta", "parks", "--since", since, "--limit", "2").output)
      pages.append(page)
      since = try #require(page.to.cursor).description
    } while pages.last?.more == true
    #expect(pages.map { $0.to.cursor?.version.number } == [2, 4])
    #expect(pages.map(\.more) == [true, false])
  }

  @Test func theWholeListIsTheFallbackWithoutADelta() async throws {
    let harness = try await CommandLineHarness.withParks()
    let foreign = ["delta", "parks", "--since", "2-00000000000000000000000000000000"]
    expectRefusal(try await harness.run(foreign), code: 5, says: ["diverged"])
    let answer = try await harness.run(foreign + ["--fallback", "snapshot"])
    let document = try SnapshotDelta(answer.output)
    #expect(document.reason == .diverged && document.from == nil)
    #expect(document.snapshot.items.count == 5)
    #expect(document.encoded() == answer.output)
    let first = try SnapshotDelta(
      await harness.succeed("delta", "parks", "--since", "0", "--fallback", "snapshot").output)
    #expect(first.reason == .first)
  }

  @Test func theSmallerWholeListIsTheAnswerOnRequest() async throws {
    let harness = try CommandLineHarness()
    let name = String(repeating: "n", count: 60)
    let many = (0..<20).map { "{\"id\":\"i\($0)\",\"n\":\"\(name)\"}" }.joined(separator: ",")
    try harness.write("[\(many)]", to: "many.json")
    try harness.write("[{\"id\":\"i0\"}]", to: "few.json")
    try harness.write("[\(many),{\"id\":\"last\"}]", to: "more.json")
    try await harness.succeed("commit", "l", "many.json")
    try await harness.succeed("commit", "l", "few.json")
    let asked = ["delta", "l", "--since", "1"]
    _ = try DeltaDocument(try await harness.run(asked).output)
    let smaller = try SnapshotDelta(try await harness.run(asked + ["--smaller"]).output)
    #expect(smaller.reason == .smaller && smaller.from?.cursor?.version == Version(1))
    try await harness.succeed("commit", "l", "many.json")
    try await harness.succeed("commit", "l", "more.json")
    let little = try await harness.run(["delta", "l", "--since", "3", "--smaller"])
    #expect(try DeltaDocument(little.output).to.count == 21)
    expectRefusal(
      try await harness.run(asked + ["--smaller", "--as", "batch"]), code: 2,
      says: ["--as has no form for a whole list"])
  }

  @Test func itemThatIsGoneIsAbsentAndNotUnknown() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("edit", "parks", "--remove", "zion")
    let again = try await harness.run("edit", "parks", "--remove", "zion")
    expectRefusal(again, code: 3, says: ["parks has no item 'zion'", "listsync show parks"])
    #expect(!again.errorText.contains("never") && !again.errorText.contains("--item"))
  }

  @Test func onlyDeltaIsAdvisedToFallBack() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("edit", "parks", "--remove", "zion")
    try await harness.succeed("prune", "parks", "--keep-last", "1")
    for words in [
      ["diff", "parks", "1"], ["show", "parks@1"], ["replay", "parks", "--from", "1"],
    ] {
      let outcome = try await harness.run(words)
      expectRefusal(outcome, code: 5, says: ["version 1 was pruned", "listsync log parks"])
      #expect(!outcome.errorText.contains("--fallback"), "\(outcome)")
    }
    let delta = ["delta", "parks", "--since", "1"]
    expectRefusal(try await harness.run(delta), code: 5, says: ["add --fallback snapshot"])
    let rendered = try await harness.run(delta + ["--as", "batch"])
    #expect(rendered.exitCode == 5 && !rendered.errorText.contains("--fallback"))
  }
}
