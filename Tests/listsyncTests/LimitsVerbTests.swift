import Foundation
import Gzip
import ListModel
import TestSupport
import Testing

/// Limits through the program: shown, set, exceeded and raised.
@Suite struct LimitsVerbTests {
  private static let twoItems = #"[{"id":"aa"},{"id":"bbb","x":[1]}]"#

  @Test func limitsVerbShowsValuesVariablesAndMeanings() async throws {
    let harness = try CommandLineHarness()
    let text = try await harness.succeed("limits").text
    for limit in Limit.allCases {
      #expect(text.contains("\n\(limit.rawValue) "))
      #expect(text.contains(" \(limit.variable) ") && text.contains(limit.meaning))
    }
    #expect(text.contains("\nwait ") && text.contains(" LISTSYNC_WAIT "))
    let rows = try #require(
      try await harness.run(
        "limits", "--json", environment: ["LISTSYNC_MAX_ITEMS": "7", "LISTSYNC_WAIT": "0"]
      ).json() as? [[String: Any]])
    let items = try #require(rows.first { $0["limit"] as? String == "items" })
    #expect(items["value"] as? Int == 7 && items["default"] as? Int == 10_000_000)
    #expect(items["highest"] as? Int == Limit.items.highest)
    #expect(rows.first { $0["limit"] as? String == "wait" }?["value"] as? Int == 0)
    #expect(rows.contains { $0["variable"] is NSNull })
  }

  /// `LimitsTests` has the other invalid values.
  @Test func invalidLimitSettingIsAUsageError() async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = harness.storeBytes()
    for variable in Limit.allCases.map(\.variable) + ["LISTSYNC_WAIT"] {
      let outcome = try await harness.run(
        ["commit", "parks", "-"], input: Array("[]".utf8), environment: [variable: "-1"])
      expectRefusal(
        outcome, code: 2, says: ["\(variable) is '-1', not a whole number", "unset it for"])
    }
    #expect(harness.storeBytes() == before)
  }

  /// Settings that the two items exceed by one, and the words of the error.
  private static let bounds = [
    ("LISTSYNC_MAX_ITEMS", "1", "the list has more than 1 items"),
    ("LISTSYNC_MAX_ITEM_BYTES", "19", "the item has"),
    ("LISTSYNC_MAX_ID_BYTES", "2", "the id has 3 bytes, where 2 are allowed"),
    ("LISTSYNC_MAX_COMMIT_BYTES", "33", "the input has"),
    ("LISTSYNC_MAX_DEPTH", "1", "nested deeper than 1"),
  ]

  @Test func everyInputIsRefusedAboveALimitAndTheErrorSaysHowToRaiseIt() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(Self.twoItems, to: "two.json")
    try harness.write("{\"id\":\"aa\"}\n{\"id\":\"bbb\",\"x\":[1]}\n", to: "two.ndjson")
    try harness.write("id,x\naa,12345678\nbbb,12345678\n", to: "two.csv")
    try harness.write(Self.twoItems, to: "empty.json")
    try harness.write(
      try await harness.succeed("commit", "two", "two.json", "--dry-run", "--json").output,
      to: "delta.json")
    try await harness.succeed("commit", "two", "two.json", "--store", "other.db")
    try await harness.succeed("bundle", "create", "two", "-o", "two.gz", "--store", "other.db")
    let fixture = try RepositoryFixture()
    try fixture.load(FixtureCommit("", .write("two.json", Self.twoItems)))

    let ways = [
      ["commit", "two", "two.json"], ["commit", "two", "two.json", "--dry-run"],
      ["commit", "two", "two.ndjson"], ["commit", "two", "two.csv"],
      ["compare", "two.json", "two.json"], ["edit", "parks", "--put", "two.json"],
      ["commit", "two", "--delta", "delta.json"], ["bundle", "verify", "two.gz"],
      ["bundle", "apply", "two.gz"], ["import-git", fixture.path, "two.json", "--strict"],
    ]
    for (variable, value, words) in Self.bounds {
      let before = harness.storeBytes()
      for way in ways {
        // A table is not nested, and the bytes of a bundle are limited by item.
        if variable.hasSuffix("DEPTH"), way.contains("two.csv") { continue }
        if variable.hasSuffix("COMMIT_BYTES"), way[0] == "bundle" { continue }
        let outcome = try await harness.run(way, environment: [variable: value])
        let text = outcome.errorText
        #expect(outcome.exitCode == 1 && outcome.output.isEmpty, "\(way): \(outcome)")
        let said = way.contains("edit") && variable.hasSuffix("ITEMS") ? "more than 1" : words
        #expect(
          text.contains(said) || text.contains("items, where 1 are allowed"), "\(way): \(text)")
        if way[0] != "import-git" {
          #expect(
            text.contains("\(variable)=NUMBER") || variable.hasSuffix("DEPTH"), "\(way): \(text)")
        }
        // import-git, the last one, opens the store for writing, which changes its file.
        #expect(way[0] == "import-git" || harness.storeBytes() == before, "\(way)")
      }
      #expect(try await harness.succeed("lists").lines.count == 1)
    }
    // Without the setting, the same input is accepted.
    for (number, way) in ways.enumerated() {
      var words = way.map { $0 == "two" ? "two-\(number)" : $0 }
      if way[1] == "apply" { words += ["--as", "copy"] }
      let outcome = try await harness.run(words)
      #expect(outcome.exitCode == 0, "\(way): \(outcome)")
    }
  }

  @Test func lineLimitAppliesToBothWritersAndReadersOfABundle() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    let low = ["LISTSYNC_MAX_LINE_BYTES": "650"]
    let made = try await harness.run(
      ["bundle", "create", "parks", "-o", "low.bundle"], environment: low)
    expectRefusal(
      made, code: 1, says: ["line 2 would be longer than the 650 bytes", "LISTSYNC_MAX_LINE_BYTES"])
    for verb in [["verify"], ["apply", "--as", "copy"]] {
      let outcome = try await harness.run(
        ["bundle"] + verb + ["parks.bundle"], environment: low)
      expectRefusal(
        outcome, code: 1,
        says: ["line 2 is longer than 650 bytes", "LISTSYNC_MAX_LINE_BYTES=NUMBER"])
    }
  }

  @Test func storedVersionsAreShownVerifiedAndExportedUnderLowerLimits() async throws {
    let harness = try await CommandLineHarness.withParks()
    let verbs = [
      ["show", "parks"], ["diff", "parks", "1", "2"], ["delta", "parks", "--since", "1"],
      ["log", "parks"], ["log", "parks", "--item", "zion"], ["verify", "--deep"],
      ["replay", "parks", "--check"], ["lists"], ["stats"],
      ["bundle", "create", "parks", "-o", "-"], ["report", "parks", "-o", "-"],
    ]
    let low = Dictionary(
      uniqueKeysWithValues: Limit.allCases.filter { $0 != .lineBytes }.map { ($0.variable, "1") })
    for verb in verbs {
      let (plain, limited) = (
        try await harness.run(verb), try await harness.run(verb, environment: low)
      )
      #expect(plain.exitCode == 0 && limited.exitCode == 0, "\(verb): \(limited)")
      #expect(plain.output == limited.output, "\(verb)")
    }
  }

  @Test func importSkipsATooLargeCommitUnreadAndReportsIt() async throws {
    let (fixture, harness) = (try RepositoryFixture(), try CommandLineHarness())
    let long = "[{\"id\":\"a\"}" + String(repeating: " ", count: 200_000) + "]"
    let texts = [#"[{"id":"a"}]"#, long, #"[{"id":"b"}]"#]
    try fixture.load(texts.map { FixtureCommit("", .write("l.json", $0)) })
    let outcome = try await harness.run(
      ["import-git", fixture.path, "l.json"], environment: ["LISTSYNC_MAX_COMMIT_BYTES": "1000"])
    #expect(outcome.exitCode == 0 && outcome.text.contains("2 versions from 3 commits, 1 skipped"))
    #expect(
      outcome.errorText.contains("l.json: the input has 200012 bytes, where 1000 are allowed"))
  }
}
