import Foundation
import TestSupport
import Testing

/// Ids that differ only by Unicode normalisation.
struct LookalikeTests {
  private let composed = Lookalikes.pairs[0][0]
  private let decomposed = Lookalikes.pairs[0][1]

  private func ids(_ harness: CommandLineHarness) async throws -> [[UInt8]] {
    let items = try await harness.succeed("show", "l").json() as? [[String: Any]]
    return (items ?? []).compactMap { ($0["id"] as? String).map { Array($0.utf8) } }
  }

  @Test func argumentsNameAnItemByItsBytes() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed(
      "commit", "l", "-", input: "[{\"id\":\"\(composed)\"},{\"id\":\"b\"}]")
    for arguments in [["log", "l", "--item", decomposed], ["edit", "l", "--remove", decomposed]] {
      expectRefusal(try await harness.run(arguments), code: 3, says: [decomposed])
    }
    try harness.write("{\"id\":\"\(decomposed)\"}", to: "item.json")
    try await harness.succeed("edit", "l", "--put", "item.json", "--before", composed)
    #expect(
      try await ids(harness) == [Array(decomposed.utf8), Array(composed.utf8), Array("b".utf8)])
    for (id, version) in [(composed, 1), (decomposed, 2)] {
      let log = try await harness.succeed("log", "l", "--item", id)
      #expect(log.lines.first?.hasPrefix("\(version)-") == true, "\(log)")
    }
    try await harness.succeed("edit", "l", "--remove", composed)
    #expect(try await ids(harness) == [Array(decomposed.utf8), Array("b".utf8)])
    try await harness.succeed("bundle", "create", "l", "-o", "l.bundle")
    let shown = try await harness.succeed("show", "l").output
    try await harness.succeed("bundle", "apply", "l.bundle", "--store", "other.db")
    #expect(try await harness.succeed("show", "l", "--store", "other.db").output == shown)
    try await harness.succeed("verify", "--deep")
  }

  /// A former fault: an escaped id, which `--item` does not find.
  @Test func idsForProgramsAreThoseOfTheItems() async throws {
    let id = "می\u{200C}خواهم"
    let harness = try CommandLineHarness()
    try harness.write("[{\"id\":\"\(id)\"}]", to: "new.json")
    try harness.write("[]", to: "old.json")
    try await harness.succeed("commit", "l", "new.json")
    for arguments in [
      ["show", "l", "--ids"], ["diff", "l", "0..1", "--name-only"],
      ["compare", "old.json", "new.json", "--text", "--name-only"],
    ] {
      let outcome = try await harness.run(arguments)
      #expect(outcome.output == Array("\(id)\n".utf8), "\(outcome)")
      let terminal = try PseudoTerminal()
      let shown = try await harness.run(arguments, outputPath: terminal.path)
      #expect(shown.exitCode == 0, "\(shown)")
      #expect(terminal.text().hasPrefix("می\\u{200c}خواهم"), "\(arguments)")
    }
    let line = try #require(try await harness.succeed("show", "l", "--ids").lines.first)
    try await harness.succeed("show", "l", "--item", line)
  }

  @Test func idOptionNamesAColumnRatherThanItsLookalike() async throws {
    let harness = try CommandLineHarness()
    try harness.write("\(composed),\(decomposed)\n1,2\n", to: "l.csv")
    for (name, id) in [(composed, "1"), (decomposed, "2"), (composed, "1")] {
      try await harness.succeed("commit", "l", "l.csv", "--id", name, "--new-ids")
      try await harness.succeed("log", "l", "--item", id)
      // Without --id, the last rule is used.
      let again = try await harness.succeed("commit", "l", "l.csv")
      #expect(again.text.contains("unchanged"), "\(again)")
    }
  }

  @Test func listAndTagNamesAllowNoLettersWithTwoSpellings() async throws {
    let harness = try CommandLineHarness()
    try await harness.succeed("commit", "l", "-", "--id", ".", input: "[\"a\"]")
    for name in [composed, decomposed, "l\u{301}"] {
      expectRefusal(
        try await harness.run(["commit", name, "-"]), code: 2, says: ["a list name is"])
      expectRefusal(
        try await harness.run(["show", "l@" + name]), code: 2, says: ["write the version as"])
      expectRefusal(try await harness.run(["tag", "l", name]), code: 2, says: [name])
    }
  }
}
