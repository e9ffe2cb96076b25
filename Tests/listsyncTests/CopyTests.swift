import Foundation
import TestSupport
import Testing

/// `copy` between two files; `TransferTests` copies to a database and back.
struct CopyTests {
  @Test func copyHasTheSameBundleAndGoesOnWhereItEnds() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("tag", "parks", "spring", "2")
    func copy(_ arguments: String...) async throws -> String {
      let outcome = try await harness.run(
        ["copy", "--from", "listsync.db", "--to", "b.db"] + arguments)
      return outcome.text
    }
    #expect(try await copy().contains("2 versions and 1 tag added"))
    #expect(try await copy("parks").contains("already up to date"))
    try harness.write(#"[{"id":"a"}]"#, to: "a.json")
    try await harness.succeed("commit", "parks", "a.json")
    #expect(try await copy("parks").contains("1 version and 0 tags added"))
    // The copy goes on, and nothing comes back.
    let ahead = try await harness.run("copy", "--from", "b.db", "--to", "listsync.db")
    #expect(ahead.text.contains("already up to date"))
    try harness.write(#"[{"id":"b"}]"#, to: "b.json")
    try await harness.succeed("commit", "parks", "b.json", "--store", "b.db")
    #expect(try await copy("parks").contains("already up to date"))
    try FileManager.default.removeItem(at: harness.url("b.db"))
    #expect(try await copy().contains("3 versions and 1 tag added"))
    for pruned in [false, true] {
      if pruned {
        try await harness.succeed("prune", "parks", "--keep-last", "1")
        try FileManager.default.removeItem(at: harness.url("b.db"))
        #expect(try await copy().contains("1 tag added"))
      }
      for store in ["listsync.db", "b.db"] {
        try await harness.succeed(
          "bundle", "create", "parks", "--force", "-o", "\(store).bundle", "--store", store)
      }
      let bundles = try ["listsync.db.bundle", "b.db.bundle"].map {
        try Data(contentsOf: harness.url($0))
      }
      #expect(bundles[0] == bundles[1])
    }
    try await harness.succeed("verify", "--deep", "--store", "b.db")
  }

  @Test func copyOfAnotherHistoryOrOfNothingIsRefused() async throws {
    let harness = try await CommandLineHarness.withParks()
    try harness.write(#"[{"id":"a"}]"#, to: "a.json")
    try await harness.succeed("commit", "parks", "a.json", "--store", "b.db")
    for (words, code, text) in [
      (["--from", "listsync.db", "--to", "b.db"], 5, "parks diverged: b.db has it at 1-"),
      (["--from", "listsync.db", "--to", "c.db", "parcs"], 3, "parcs"),
      (["--from", "none.db", "--to", "c.db"], 1, "none.db"),
      (["--from", "b.db", "--to", "b.db"], 2, "same store"),
      (["--from", "postgresql://u:secret@h/db", "--to", "b.db"], 2, ".pgpass"),
      (["--from", "b.db", "--to", "c.db", "--to-schema", "x"], 2, "--to-schema"),
    ] as [([String], Int32, String)] {
      let outcome = try await harness.run(["copy"] + words)
      #expect(outcome.exitCode == code && outcome.errorText.contains(text), "\(outcome)")
      #expect(!outcome.errorText.contains("secret"))
    }
    #expect(!FileManager.default.fileExists(atPath: harness.url("c.db").path))
  }

  /// A former fault: "both got commits of their own", with the advice to drop one.
  @Test func sourceThatEndsBeforeAPrunedTargetIsNotCalledAnotherHistory() async throws {
    let harness = try await CommandLineHarness.withParks()
    let copy = ["copy", "--from", "listsync.db", "--to", "b.db"]
    #expect(try await harness.run(copy).exitCode == 0)
    for number in 3...4 {
      try await harness.succeed(
        "commit", "parks", "-", "--store", "b.db", input: "[{\"id\":\"\(number)\"}]")
    }
    try await harness.succeed("prune", "parks", "--keep-last", "1", "--store", "b.db")
    let outcome = try await harness.run(copy)
    expectRefusal(
      outcome, code: 5,
      says: ["the source ends at 2-", "parks of b.db was pruned and begins at 4-"])
    #expect(!outcome.errorText.contains("commits of their own"), "\(outcome)")
    #expect(!outcome.errorText.contains("bundle"), "\(outcome)")
  }

  /// A former fault: the target had tags at versions that it had pruned, and every reader of them
  /// called it damaged.
  @Test func tagOfAVersionThatTheTargetHasPrunedIsLeftOut() async throws {
    let harness = try await CommandLineHarness.withParks()
    for number in 3...4 {
      try await harness.succeed("commit", "parks", "-", input: "[{\"id\":\"\(number)\"}]")
    }
    let copy = ["copy", "--from", "listsync.db", "--to", "b.db"]
    #expect(try await harness.run(copy).exitCode == 0)
    try await harness.succeed("prune", "parks", "--keep-last", "2", "--store", "b.db")
    try await harness.succeed("tag", "parks", "old", "1")
    try await harness.succeed("tag", "parks", "new", "3")
    let outcome = try await harness.run(copy)
    #expect(outcome.text.contains("0 versions and 1 tag added"), "\(outcome)")
    #expect(
      outcome.errorText.contains("the tag old was left out, since version 1 was pruned"),
      "\(outcome)")
    let tags = try await harness.succeed("tag", "parks", "--store", "b.db")
    #expect(tags.lines.count == 1 && tags.text.hasPrefix("new  3-"))
    try await harness.succeed("verify", "--store", "b.db")
    try await harness.succeed("backup", "backup.db", "--store", "b.db")
    let again = try #require(try await harness.run(copy + ["--json"]).json() as? [[String: Any]])
    #expect(again[0]["outcome"] as? String == "unchanged")
    let leftOut = try #require(again[0]["left_out"] as? [[String: Any]])
    #expect(leftOut.map { $0["tag"] as? String } == ["old"])
    #expect(leftOut.map { $0["reason"] as? String } == ["pruned"])
  }

  /// A former fault: the target's own tag and title were replaced, as if they were new.
  @Test func tagAndTitleThatTheTargetHasStayAndAreReported() async throws {
    let harness = try await CommandLineHarness.withParks()
    let copy = ["copy", "--from", "listsync.db", "--to", "b.db"]
    #expect(try await harness.run(copy).exitCode == 0)
    let after = Example.url("parks-after.json").path
    try await harness.succeed("commit", "parks", after, "--title", "/name")
    try await harness.succeed("tag", "parks", "spring", "1")
    try await harness.succeed("tag", "parks", "same", "1")
    try await harness.succeed("tag", "parks", "spring", "2", "--store", "b.db")
    try await harness.succeed("tag", "parks", "same", "1", "--store", "b.db")
    try await harness.succeed("commit", "parks", after, "--title", "/id", "--store", "b.db")
    let before = harness.storeBytes("b.db")
    let outcome = try await harness.run(copy)
    #expect(outcome.exitCode == 0 && outcome.text.contains("already up to date"), "\(outcome)")
    for text in [
      "the tag spring stays at version 2, and is at 1 in the source",
      "listsync tag parks spring 1 --force", "its title stays /id, and is /name in the source",
    ] { #expect(outcome.errorText.contains(text), "\(outcome)") }
    #expect(!outcome.errorText.contains("same"))
    #expect(harness.storeBytes("b.db") == before)
    let document = try #require(try await harness.run(copy + ["--json"]).json() as? [[String: Any]])
    let leftOut = try #require(document[0]["left_out"] as? [[String: Any]])
    #expect(leftOut.map { $0["reason"] as? String } == ["taken", "taken"])
    #expect(leftOut[0]["here"] as? Int == 2 && leftOut[1]["here"] as? String == "/id")
  }

  /// A former fault: a copy onto itself said "already up to date".
  @Test func copyFromAFileToItselfIsRefusedWhateverItsPath() async throws {
    let harness = try await CommandLineHarness.withParks()
    let store = harness.url("listsync.db").path
    try FileManager.default.createSymbolicLink(
      atPath: harness.url("symbolic.db").path, withDestinationPath: "listsync.db")
    try FileManager.default.linkItem(atPath: store, toPath: harness.url("hard.db").path)
    for other in ["listsync.db", "./listsync.db", store, "symbolic.db", "hard.db"] {
      for (from, to) in [("listsync.db", other), (other, "listsync.db")] {
        expectRefusal(
          try await harness.run("copy", "--from", from, "--to", to), code: 2,
          says: ["--from and --to name the same store"])
      }
    }
    let address = "postgresql://localhost/none"
    expectRefusal(
      try await harness.run("copy", "--from", address, "--to", address, "--to-schema", "listsync"),
      code: 2, says: ["--from and --to name the same store"])
  }
}
