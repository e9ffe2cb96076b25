import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// `listsync merge`. `Documentation/Recipes.md` runs it as a merge driver of git.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct MergeVerbTests {
  private static let base = """
    [
      {"id": "alien", "rating": 8.5},
      {"id": "heat", "rating": 8.30},
      {"id": "jaws", "rating": 8.1}
    ]

    """
  private static let mine = """
    [
      {"id": "jaws", "rating": 8.1},
      {"id": "alien", "year": 1979, "rating": 8.5},
      {"id": "heat", "rating": 8.30},
      {"id": "ran", "rating": 8.2}
    ]

    """
  private static let theirs = """
    [
      {"id": "alien", "rating": 8.6},
      {"id": "heat", "rating": 8.30},
      {"id": "jaws", "rating": 8.2}
    ]

    """
  private static let merged = """
    [
      {"id": "jaws", "rating": 8.2},
      {"id": "alien", "year": 1979, "rating": 8.6},
      {"id": "heat", "rating": 8.30},
      {"id": "ran", "rating": 8.2}
    ]

    """

  private func harness(mine: String = mine, theirs: String = theirs) throws -> CommandLineHarness {
    let harness = try CommandLineHarness()
    try harness.write(Self.base, to: "base.json")
    try harness.write(mine, to: "mine.json")
    try harness.write(theirs, to: "theirs.json")
    return harness
  }

  private func merge(
    _ harness: CommandLineHarness, _ options: String...
  ) async throws -> CommandLineHarness.Outcome {
    try await harness.run(["merge", "base.json", "mine.json", "theirs.json"] + options)
  }

  @Test func mergedListKeepsTheFormOfMine() async throws {
    let harness = try harness()
    #expect(try await merge(harness).text == Self.merged)
    let written = try await merge(harness, "-o", "mine.json", "--force")
    #expect(
      written.text
        == "mine.json: mine: 1 moved, 1 inserted, 1 updated; theirs: 2 updated; 4 items\n")
    // Merging again changes nothing.
    #expect(try String(contentsOf: harness.url("mine.json"), encoding: .utf8) == Self.merged)
    #expect(try await merge(harness).text == Self.merged)
  }

  @Test func conflictsAreShownWithTheirValuesAndNothingIsWritten() async throws {
    let theirs = Self.theirs.replacingOccurrences(
      of: "  {\"id\": \"heat\", \"rating\": 8.30},\n", with: "")
    let mine = Self.mine.replacingOccurrences(of: "8.5", with: "8.4")
      .replacingOccurrences(of: "8.30", with: "8.35")
    let harness = try harness(mine: mine, theirs: theirs)
    let outcome = try await merge(harness, "-o", "merged.json")
    #expect(outcome.exitCode == 1 && outcome.text.isEmpty)
    #expect(
      outcome.errorText == """
        2 conflicts
        alien
          /rating  changed by both
              base    8.5
              mine    8.4
              theirs  8.6
        heat
          removed by theirs, changed by mine
              /rating  8.3 → 8.35
        Nothing was written. Decide all conflicts with --prefer mine or --prefer theirs, or make \
        the two files agree and merge again.

        """)
    let answer = try await merge(harness, "-o", "merged.json", "--json")
    let document = try #require(answer.json() as? [String: Any])
    #expect(answer.exitCode == 1 && document["outcome"] as? String == "conflicts")
    let conflicts = try #require(document["conflicts"] as? [[String: Any]])
    #expect(conflicts.map { $0["kind"] as? String } == ["changed", "removed-by-theirs"])
    #expect(conflicts.map { $0["path"] as? String } == ["/rating", ""])
    #expect(!FileManager.default.fileExists(atPath: harness.url("merged.json").path))
    for (side, count) in [("mine", 4), ("theirs", 3)] {
      let merged = try await merge(harness, "--prefer", side)
      #expect(merged.text.contains(side == "mine" ? "8.35" : "8.6"))
      #expect(
        try SnapshotReader(options: .init()).read(merged.output).snapshot.items.count == count)
    }
  }

  @Test func tablesMergeByTheirColumnOfIDs() async throws {
    let harness = try CommandLineHarness()
    try harness.write("code,name\na,Alien\nb,Heat\n", to: "base.csv")
    try harness.write("code,name\nb,Heat\na,\"Alien, again\"\n", to: "mine.csv")
    try harness.write("code,name,year\na,Alien,1979\nb,Heat,\n", to: "theirs.csv")
    let outcome = try await harness.succeed(
      "merge", "base.csv", "mine.csv", "theirs.csv", "--id", "code")
    #expect(outcome.text == "code,name,year\nb,Heat,\na,\"Alien, again\",1979\n")
  }

  @Test func emptyBaseIsAnEmptyListAndAnotherEmptyFileIsRefused() async throws {
    let harness = try harness()
    try harness.write("", to: "empty")
    let outcome = try await harness.succeed("merge", "empty", "mine.json", "mine.json")
    #expect(outcome.text == Self.mine)
    expectRefusal(
      try await harness.run(["merge", "base.json", "empty", "theirs.json"]), code: 1,
      says: ["empty is empty"])
  }
}
