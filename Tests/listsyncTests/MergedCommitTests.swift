import Foundation
import TestSupport
import Testing

/// `commit --base`, `commit --delta --rebase` and `edit --base`.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct MergedCommitTests {
  /// A store with the versions a b and a=1 b x, and a file that was made from the first.
  private func harness(mine: String) async throws -> CommandLineHarness {
    let harness = try CommandLineHarness()
    try harness.write(#"[{"id":"a","n":0},{"id":"b"}]"#, to: "1.json")
    try harness.write(#"[{"id":"a","n":1},{"id":"b"},{"id":"x"}]"#, to: "2.json")
    try harness.write(mine, to: "mine.json")
    for file in ["1.json", "2.json"] { _ = try await harness.run(["commit", "parks", file]) }
    return harness
  }

  private func ids(_ harness: CommandLineHarness) async throws -> String {
    try await harness.run(["show", "parks", "--ids"]).text
  }

  @Test func fileMadeFromAnOlderVersionIsMerged() async throws {
    let harness = try await harness(mine: #"[{"id":"b","k":1},{"id":"a","n":0}]"#)
    let dry = try await harness.run(["commit", "parks", "mine.json", "--base", "1", "--dry-run"])
    #expect(dry.text.contains("would merge: 1 moved, 1 updated; 3 items"))
    #expect(try await ids(harness) == "a\nb\nx\n")
    let made = try await harness.run([
      "commit", "parks", "mine.json", "--base", "1", "-m", "Sorted",
    ])
    #expect(made.exitCode == 0)
    let lines = made.text.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasSuffix(": merged: 1 moved, 1 updated; 3 items") == true, "\(lines)")
    #expect(
      lines.dropFirst() == [
        "  mine    1 moved, 1 updated: b, a", "  theirs  1 inserted, 1 updated: a, x",
      ])
    #expect(try await ids(harness) == "b\nx\na\n")
    let again = try await harness.run(
      ["commit", "parks", "mine.json", "--base", "1", "-m", "Sorted"])
    #expect(again.text.contains("committed before"))
    let log = try await harness.run(["log", "parks"])
    #expect(log.text.contains("    Sorted [merged changes to 1-"), "\(log.text)")
  }

  @Test func conflictsAreShownWithTheirValuesAndNothingIsStored() async throws {
    let harness = try await harness(mine: #"[{"id":"a","n":7},{"id":"b"}]"#)
    let refused = try await harness.run(["commit", "parks", "mine.json", "--base", "1"])
    #expect(refused.exitCode == 4)
    for text in [
      "1 conflict between", "/n  changed by both", "base    0", "mine    7", "theirs  1",
      "--prefer mine",
    ] {
      #expect(refused.errorText.contains(text), "\(refused.errorText)")
    }
    let problem = try await harness.run(["commit", "parks", "mine.json", "--base", "1", "--json"])
    #expect(problem.exitCode == 4)
    #expect(
      problem.errorText.contains(#""conflict_count":1,"conflicts":[{"id":"a","kind":"changed""#))
    #expect(try await harness.run(["log", "parks"]).text.contains("3-") == false)
    let decided = try await harness.run(
      ["commit", "parks", "mine.json", "--base", "1", "--prefer", "mine"])
    #expect(decided.exitCode == 0)
    #expect(decided.text.contains("1 conflict decided for mine"))
  }

  @Test func deltaAndEditsAreMerged() async throws {
    let harness = try await harness(mine: #"[{"id":"y"},{"id":"a","n":0},{"id":"b"}]"#)
    let delta = try await harness.run(["edit", "parks", "--remove", "x", "--dry-run"])
    try harness.write(delta.text, to: "delta.json")
    let edited = try await harness.run(["edit", "parks", "--remove", "b", "--base", "1"])
    #expect(edited.text.contains("merged: 1 removed; 2 items"), "\(edited)")
    #expect(try await ids(harness) == "a\nx\n")
    let refused = try await harness.run(["commit", "parks", "--delta", "delta.json"])
    #expect(refused.exitCode == 4, "\(refused)")
    let rebased = try await harness.run(["commit", "parks", "--delta", "delta.json", "--rebase"])
    #expect(rebased.text.contains("merged: 1 removed; 1 item"), "\(rebased)")
    let again = try await harness.run(["commit", "parks", "--delta", "delta.json", "--rebase"])
    #expect(again.text.contains("committed before"), "\(again)")
    #expect(try await ids(harness) == "a\n")
  }

  @Test func prunedBaseIsTooOldWithAdvice() async throws {
    let harness = try await harness(mine: "[]")
    _ = try await harness.run(["prune", "parks", "--keep-last", "1"])
    let refused = try await harness.run(["commit", "parks", "mine.json", "--base", "1"])
    #expect(refused.exitCode == 5)
    #expect(refused.errorText.contains("Get the newest version with 'listsync show parks'"))
  }

  @Test(arguments: [
    ["mine.json", "--prefer", "mine"], ["mine.json", "--base", "1", "--expect", "1"],
    ["mine.json", "--rebase"], ["--delta", "mine.json", "--base", "1"],
    ["mine.json", "--base", "head"], ["mine.json", "--base", "1", "--prefer", "ours"],
  ])
  func optionsThatContradictEachOtherAreRefused(_ words: [String]) async throws {
    let harness = try await harness(mine: "[]")
    #expect(try await harness.run(["commit", "parks"] + words).exitCode == 2)
  }
}
