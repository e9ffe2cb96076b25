import Foundation
import TestSupport
import Testing

/// `commit --max-removed` and `--max-updated`, and the report of `import-git`.
struct ChangeLimitTests {
  private static func list(_ numbers: Range<Int>) -> String {
    "[" + numbers.map { #"{"id":"i\#($0)"}"# }.joined(separator: ",") + "]"
  }

  private func remembered(_ harness: CommandLineHarness) async throws -> String? {
    let lists = try await harness.succeed("lists", "--json").json() as? [[String: Any]]
    return lists?.first?["max_removed"] as? String
  }

  @Test func listThatCameBackShortIsRefusedAndNothingIsWritten() async throws {
    let harness = try CommandLineHarness()
    let commit = ["commit", "l", "-"]
    let first = try await harness.run(
      commit + ["--max-removed", "20%"], input: Array(Self.list(0..<47).utf8))
    #expect(first.exitCode == 0, "\(first)")
    #expect(try await remembered(harness) == "20%")
    let bytes = harness.storeBytes()
    for options in [[], ["--dry-run"], ["--max-removed", "9", "--title", "/id"]] {
      let outcome = try await harness.run(commit + options, input: Array(Self.list(0..<6).utf8))
      let limit = options.contains("9") ? "9" : "20 % (9)"
      expectRefusal(
        outcome, code: 4,
        says: [
          "l: 41 of 47 items would be removed, and at most \(limit) may be\n",
          "Nothing was changed. If that is right, commit again with --force-removed.",
        ])
    }
    #expect(harness.storeBytes() == bytes)
    let forced = try await harness.succeed(
      "commit", "l", "-", "--force-removed", input: Self.list(0..<6))
    #expect(forced.text.contains("41 removed; 6 items"))
    #expect(try await remembered(harness) == "20%")
    try await harness.succeed("commit", "l", "-", "--max-removed", "none", input: "[]")
    #expect(try await remembered(harness) == nil)
  }

  @Test func listThatAToolRewroteIsRefusedAndThePatternCanBeSeen() async throws {
    let harness = try CommandLineHarness()
    let items = { (value: String) in
      "[" + (0..<9).map { #"{"id":"i\#($0)","n":\#(value)}"# }.joined(separator: ",") + "]"
    }
    try await harness.succeed("commit", "l", "-", "--max-updated", "50%", input: items("7"))
    let bytes = harness.storeBytes()
    let rewritten = Array(items(#""7""#).utf8)
    let refused = try await harness.run(["commit", "l", "-"], input: rewritten)
    expectRefusal(
      refused, code: 4,
      says: [
        "l: 9 of 9 items would be updated, and at most 50 % (4) may be\n",
        "--dry-run --force-updated",
      ])
    let seen = try await harness.run(
      ["commit", "l", "-", "--dry-run", "--force-updated"], input: rewritten)
    #expect(seen.exitCode == 0 && seen.errorText.contains("/n  number → text in 9"), "\(seen)")
    #expect(harness.storeBytes() == bytes)
    try await harness.succeed("commit", "l", "-", "--force-updated", input: items(#""7""#))
    let lists = try await harness.succeed("lists", "--json").json() as? [[String: Any]]
    #expect(lists?.first?["max_updated"] as? String == "50%")
  }

  @Test func deltaIsHeldToTheLimitAndAnEditIsNot() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed(
      "commit", "parks", Example.url("parks-after.json").path, "--max-removed", "0")
    let back = try await harness.succeed("delta", "parks", "--since", "2", "--to", "1").text
    for options in [[], ["--dry-run"]] {
      let outcome = try await harness.run(
        ["commit", "parks", "--delta", "-"] + options, input: Array(back.utf8))
      expectRefusal(outcome, code: 4, says: ["parks: 1 of 5 items would be removed"])
    }
    try await harness.succeed("edit", "parks", "--remove", "zion")
    try await harness.succeed("revert", "parks", "0")
  }

  @Test func firstCommitCreatesNoStoreForATextThatIsNoLimit() async throws {
    let harness = try CommandLineHarness()
    for text in ["removed=many", "removed=120%", "removed=-1", "updated=1.5%"] {
      let outcome = try await harness.run(
        ["commit", "l", "-", "--max-\(text)"], input: Array("[]".utf8))
      expectRefusal(outcome, code: 2, says: ["write a number such as 100"])
    }
    #expect(harness.storeBytes().map(\.count) == [0, 0])
  }

  @Test func copyTellsOfALimitThatItLeavesOut() async throws {
    let harness = try await CommandLineHarness.withParks()
    let after = Example.url("parks-after.json").path
    let copy = ["copy", "--from", "listsync.db", "--to", "b.db"]
    #expect(try await harness.run(copy).exitCode == 0)
    try await harness.succeed("commit", "parks", after, "--max-removed", "5")
    try await harness.succeed("commit", "parks", after, "--max-removed", "9%", "--store", "b.db")
    let outcome = try await harness.run(copy)
    #expect(outcome.errorText == "parks: its --max-removed stays 9%, and is 5 in the source\n")
    let document = try #require(try await harness.run(copy + ["--json"]).json() as? [[String: Any]])
    let leftOut = try #require(document[0]["left_out"] as? [[String: Any]])
    #expect(leftOut.map { $0["max_removed"] as? String } == ["5"])
    #expect(leftOut.map { $0["here"] as? String } == ["9%"])
  }

  /// Commits whose lists are of so many items each.
  private func load(_ counts: [Int], into fixture: RepositoryFixture) throws {
    try fixture.load(
      counts.enumerated().map { index, count in
        FixtureCommit("Change", .write("parks.json", Self.list(0..<count))).with {
          $0.seconds = 1_700_000_000 + Int64(index)
        }
      })
  }

  @Test(arguments: [(20, 9, true), (20, 10, false), (18, 8, true), (17, 8, false), (0, 0, false)])
  func importReportsAVersionThatRemovesTenItemsAndMoreThanHalf(
    size: Int, rest: Int, isReported: Bool
  ) async throws {
    let (fixture, harness) = (try RepositoryFixture(), try CommandLineHarness())
    try load([size, rest], into: fixture)
    let commit = try fixture.commits()[1]
    let outcome = try await harness.succeed("import-git", fixture.path, "parks.json")
    let report = """
      version 2, 2023-11-14T22:13:21Z, commit \(commit.prefix(12)) removes \(size - rest) of \
      \(size) items

      """
    #expect(outcome.errorText == (isReported ? report : ""))
    #expect(try await harness.succeed("show", "parks", "--ids").lines.count == rest)
  }

  @Test func importReportsTenVersionsByTheLimitOfTheList() async throws {
    let (fixture, harness) = (try RepositoryFixture(), try CommandLineHarness())
    try load([3], into: fixture)
    try await harness.succeed("import-git", fixture.path, "parks.json")
    try await harness.succeed(
      "commit", "parks", "-", "--max-removed", "1", input: Self.list(0..<3))
    try load([2, 3] + Array(repeating: [1, 3], count: 12).joined(), into: fixture)
    let outcome = try await harness.succeed("import-git", fixture.path, "parks.json")
    let notes = outcome.errorText.split(separator: "\n")
    #expect(notes.count == 11)
    #expect(notes.first?.hasPrefix("version 4, ") == true)
    #expect(notes.dropLast().allSatisfy { $0.hasSuffix(" removes 2 of 3 items") })
    #expect(notes.last == "and 2 more such versions")
  }
}
