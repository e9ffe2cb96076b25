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
}
