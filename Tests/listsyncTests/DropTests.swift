import Foundation
import TestSupport
import Testing

/// `drop` and `rename`.
struct DropTests {
  @Test func droppedListIsGoneUntilACommitBeginsItAgain() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(#"[{"id":"a"}]"#, to: "a.json")
    let refused = try await harness.run("drop", "parks")
    #expect(refused.exitCode == 2 && refused.errorText.contains("--yes"), "\(refused)")
    #expect(try await harness.run("drop", "parks", "--yes", "--expect", "1").exitCode == 4)
    let dropped = try await harness.succeed("drop", "parks", "--yes", "--author", "Ann", "--json")
    let record = try #require(dropped.json() as? [String: Any])
    #expect(record["list"] as? String == "parks" && record["author"] as? String == "Ann")
    #expect(record["version"] as? Int == 2 && record["new_name"] is NSNull)
    for arguments in [
      ["show", "parks"], ["log", "parks"], ["delta", "parks", "--since", "1"],
      ["commit", "parks", "a.json"], ["commit", "parks", "a.json", "--dry-run"],
      ["edit", "parks", "--remove", "zion"], ["drop", "parks", "--yes"], ["revert", "parks", "1"],
    ] {
      let outcome = try await harness.run(arguments)
      #expect(outcome.exitCode == 3, "\(outcome)")
      #expect(outcome.errorText.contains("parks was dropped at "), "\(outcome)")
    }
    let again = try await harness.succeed("commit", "parks", "a.json", "--begin-again")
    #expect(again.text.hasPrefix("parks 1-"))
    try await harness.succeed("verify", "--deep")
  }

  /// A former fault: the advice was to begin the name again, which makes another history, and
  /// refuses the bundle for ever.
  @Test func droppedListComesBackFromABundleByTheAdviceOfItsRefusal() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "p.bundle")
    let before = try await harness.succeed("log", "parks", "--json").text
    try await harness.succeed("drop", "parks", "--yes")
    let refused = try await harness.run("bundle", "apply", "p.bundle")
    expectRefusal(
      refused, code: 3,
      says: ["parks was dropped at ", "with --as OTHER", "'listsync rename OTHER parks'"])
    #expect(!refused.errorText.contains("begin-again"), "\(refused)")
    try await harness.succeed("bundle", "apply", "p.bundle", "--as", "other")
    try await harness.succeed("rename", "other", "parks")
    #expect(try await harness.succeed("log", "parks", "--json").text == before)
  }

  @Test func droppedListComesBackFromAnotherStoreByTheAdviceOfItsRefusal() async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = try await harness.succeed("log", "parks", "--json").text
    try await harness.succeed("backup", "b.db")
    try await harness.succeed("drop", "parks", "--yes")
    let refused = try await harness.run("copy", "--from", "b.db", "--to", "listsync.db")
    expectRefusal(
      refused, code: 3,
      says: [
        "parks was dropped at ", "'listsync bundle create parks'",
        "'listsync bundle apply --as OTHER'", "'listsync rename OTHER parks'",
      ])
    #expect(!refused.errorText.contains("begin-again"), "\(refused)")
    try await harness.succeed("bundle", "create", "parks", "-o", "p.bundle", "--store", "b.db")
    try await harness.succeed("bundle", "apply", "--as", "other", "p.bundle")
    try await harness.succeed("rename", "other", "parks")
    #expect(try await harness.succeed("log", "parks", "--json").text == before)
  }

  @Test func droppedListComesBackFromARepositoryByTheAdviceOfItsRefusal() async throws {
    let harness = try CommandLineHarness()
    let fixture = try RepositoryFixture()
    try fixture.load(FixtureCommit("one", .write("parks.json", #"[{"id":"a"}]"#)))
    let words = ["import-git", fixture.path, "parks.json"]
    #expect(try await harness.run(words).exitCode == 0)
    let before = try await harness.succeed("log", "parks", "--json").text
    try await harness.succeed("drop", "parks", "--yes")
    let refused = try await harness.run(words)
    expectRefusal(
      refused, code: 3, says: ["parks was dropped at ", "--list OTHER", "rename OTHER parks"])
    #expect(!refused.errorText.contains("begin-again"), "\(refused)")
    #expect(try await harness.run(words + ["--list", "other"]).exitCode == 0)
    try await harness.succeed("rename", "other", "parks")
    #expect(try await harness.succeed("log", "parks", "--json").text == before)
  }

  @Test func nameOfAnotherListIsRefusedWithTheVersionThatMayHaveIt() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(#"[{"id":"a"}]"#, to: "a.json")
    try await harness.succeed("commit", "films", "a.json")
    try await harness.succeed("rename", "parks", "sights")
    let refused = try await harness.run("rename", "films", "parks")
    expectRefusal(
      refused, code: 3,
      says: ["parks was renamed to sights", "Only the list that left this name may have it again"])
  }

  @Test func dropAsksOnATerminalAndTakesOnlyAYes() async throws {
    let harness = try await CommandLineHarness.withParks()
    for (reply, code) in [("\n", 1), ("no\n", 1), ("y\n", 0)] as [(String, Int32)] {
      let terminal = try PseudoTerminal()
      try terminal.type(reply)
      let outcome = try await harness.run(["drop", "parks"], inputPath: terminal.path)
      #expect(outcome.exitCode == code, "\(outcome)")
      #expect(outcome.errorText.contains("Delete parks 2-"), "\(outcome)")
      #expect(try await harness.run("log", "parks").exitCode == (code == 0 ? 3 : 0))
    }
  }

  @Test func renamedListIsFoundByItsNewNameAlone() async throws {
    let harness = try await CommandLineHarness.withParks()
    let before = try await harness.succeed("log", "parks", "--json").text
    let renamed = try await harness.succeed("rename", "parks", "sights")
    #expect(renamed.text.hasSuffix(": renamed to sights\n"))
    #expect(try await harness.succeed("log", "sights", "--json").text == before)
    let old = try await harness.run("log", "parks")
    #expect(old.exitCode == 3 && old.errorText.contains("renamed to sights"), "\(old)")
    #expect(try await harness.run("rename", "sights", "sights").exitCode == 1)
    try await harness.succeed("rename", "sights", "parks")
  }
}
