import Foundation
import Testing

struct TagTests {
  @Test func aTagNamesAVersionInEveryVerb() async throws {
    let harness = try await CommandLineHarness.withParks()
    let said = try await harness.succeed("tag", "parks", "spring", "1").text
    #expect(said.hasPrefix("parks 1-") && said.hasSuffix(": tagged spring\n"))
    for (tagged, numbered) in [
      (["show", "parks@spring"], ["show", "parks@1"]),
      (["diff", "parks", "spring"], ["diff", "parks", "1"]),
      (["delta", "parks", "--since", "spring"], ["delta", "parks", "--since", "1"]),
      (
        ["delta", "parks", "--since", "2", "--to", "spring"],
        ["delta", "parks", "--since", "2", "--to", "1"]
      ),
      (["replay", "parks", "--to", "spring"], ["replay", "parks", "--to", "1"]),
    ] {
      let (first, second) = (try await harness.run(tagged), try await harness.run(numbered))
      #expect(first.exitCode == 0 && !first.output.isEmpty && first.output == second.output)
    }
  }

  @Test func tagListIsSortedByNameAndShowsVersions() async throws {
    let harness = try await CommandLineHarness.withParks()
    let none = try await harness.succeed("tag", "parks")
    #expect(none.output.isEmpty && none.errorText == "parks has no tags yet\n")
    #expect(try await harness.succeed("tag", "parks", "--json").text == "[]\n")
    try await harness.succeed("tag", "parks", "summer")
    try await harness.succeed("tag", "parks", "a.b", "head~1")
    let lines = try await harness.succeed("tag", "parks").lines
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("a.b     1-") && lines[0].hasSuffix("4 items"))
    #expect(lines[1].hasPrefix("summer  2-") && lines[1].hasSuffix("5 items"))
    let json = try #require(
      try await harness.succeed("tag", "parks", "--json").json() as? [[String: Any]])
    #expect(json.map { $0["tag"] as? String } == ["a.b", "summer"])
    #expect(json.map { $0["version"] as? Int } == [1, 2])
    #expect(
      Set(json[0].keys) == ["tag", "cursor", "version", "committed_at", "tagged_at"])
  }

  @Test func existingTagMovesOnlyByForce() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("tag", "parks", "spring", "1")
    let again = try await harness.succeed("tag", "parks", "spring", "head~1").text
    #expect(again.hasSuffix(": unchanged; it has the tag spring already\n"))
    expectRefusal(
      try await harness.run("tag", "parks", "spring"), code: 1,
      says: ["parks version 1 already has the tag spring", "to version 2 with --force"])
    let moved = try await harness.succeed("tag", "parks", "spring", "--force", "--json").json()
    let document = try #require(moved as? [String: Any])
    #expect(document["outcome"] as? String == "moved" && document["version"] as? Int == 2)
  }

  @Test func removedTagNoLongerNamesAVersion() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("tag", "parks", "spring", "1")
    #expect(
      try await harness.succeed("tag", "-d", "parks", "spring").text
        == "parks 1: no longer tagged spring\n")
    for arguments in [["tag", "-d", "parks", "spring"], ["show", "parks@spring"]] {
      expectRefusal(
        try await harness.run(arguments), code: 3,
        says: ["parks has no tag 'spring'; there are none yet", "head~2"])
    }
    try await harness.succeed("tag", "parks", "b")
    try await harness.succeed("tag", "parks", "a")
    expectRefusal(
      try await harness.run("diff", "parks", "nonsense"), code: 3, says: ["there are: a, b"])
  }

  @Test(arguments: [
    ["7", "head"], ["HEAD"], ["2026-spring"], ["7-3f9a1c2b7d4000000000000000000000"],
    ["2026-11-21"], ["a@b"], ["a b"],
  ])
  func tagNameThatCouldBeAVersionIsAUsageError(_ name: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(
      try await harness.run(["tag", "parks"] + name), code: 2,
      says: [
        "'\(name[0])' is invalid", "a tag is 1 to 100", "starting with a letter or underscore",
      ])
  }

  /// A former fault: `a..b` was set, and `diff parks@a..b` looked for the tags a and b.
  @Test(arguments: ["a..b", "a..", "spring...2"])
  func tagThatReadsAsARangeIsRefusedAndOneThatIsThereCanBeRemoved(_ name: String) async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(
      try await harness.run("tag", "parks", name, "1"), code: 2,
      says: ["no two dots in a row", "diff parks@\(name)"])
    try await harness.succeed("tag", "parks", "spring", "1")
    try harness.change("UPDATE tags SET name = '\(name)'")
    try await harness.succeed("show", "parks@\(name)")
    try await harness.succeed("tag", "-d", "parks", name)
    try await harness.succeed("tag", "parks", "a.b", "1")
  }

  @Test func refusalOfAnUnknownTagSaysWhereTheTagsAre() async throws {
    let harness = try await CommandLineHarness.withParks()
    for arguments in [["tag", "-d", "parks", "nope"], ["show", "parks@nope"]] {
      expectRefusal(
        try await harness.run(arguments), code: 3,
        says: ["parks has no tag 'nope'", "'listsync tag parks' shows its tags"])
    }
  }

  @Test(arguments: [
    ["tag"], ["tag", "parks", "-d"], ["tag", "-d", "parks", "a", "1"], ["tag", "parks", "--force"],
    ["tag", "-d", "parks", "a", "--force"], ["tag", "parks", "a", "1.5"],
  ])
  func invalidArgumentsAreAUsageError(_ arguments: [String]) async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(try await harness.run(arguments), code: 2, says: ["Error: "])
  }

  @Test func versionZeroAndMissingVersionsCannotBeTagged() async throws {
    let harness = try await CommandLineHarness.withParks()
    expectRefusal(
      try await harness.run("tag", "parks", "a", "0"), code: 1,
      says: ["version 0 cannot be tagged", "listsync log parks"])
    expectRefusal(try await harness.run("tag", "parks", "a", "9"), code: 3, says: ["1 to 2"])
    expectRefusal(try await harness.run("tag", "parcs", "a"), code: 3, says: ["parks"])
  }

  @Test func tagAndPruneDoNotCreateAMissingStore() async throws {
    let harness = try CommandLineHarness()
    for arguments in [["tag", "parks", "a"], ["prune", "parks", "--keep-last", "1"]] {
      expectRefusal(try await harness.run(arguments), code: 1, says: ["there is no store"])
    }
    #expect(try harness.fileNames().isEmpty)
  }
}
