import ArgumentParser
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import listsync

/// A verb opens its store once.
@Suite struct StoreSessionTests {
  private static let id = #"{"id":"zion"}"#

  @Test func everyVerbOpensItsStoreOnce() async throws {
    let harness = try CommandLineHarness()
    let store = harness.folder.appendingPathComponent("s.db").path
    let file = harness.folder.appendingPathComponent("list.json").path
    let bundle = harness.folder.appendingPathComponent("bundle").path
    let page = harness.folder.appendingPathComponent("page.html").path
    try harness.write("[\(Self.id)]", to: "list.json")
    // A missing store is opened, which fails, and then created.
    try await expect(2, ["commit", "parks", file, "--json"], store)
    try harness.write(#"[{"id":"zion","n":1},{"id":"acadia"}]"#, to: "list.json")
    for arguments in [
      ["commit", "parks", file, "--dry-run", "--json"], ["commit", "parks", file, "--json"],
      ["edit", "parks", "--remove", "acadia", "--json"], ["revert", "parks", "head~1", "--json"],
      ["show", "parks"],
      ["log", "parks", "--json"],
      ["tag", "parks", "spring"], ["bundle", "create", "parks", "-o", bundle, "--json"],
      ["report", "parks", "-o", page, "--json"],
      ["bundle", "apply", bundle, "--json"], ["delta", "parks", "--since", "1"],
      ["prune", "parks", "--keep-last", "1", "--json"], ["stats", "--json"], ["verify", "--json"],
      ["rename", "parks", "sights", "--json"], ["drop", "sights", "--yes", "--json"],
    ] {
      try await expect(1, arguments, store)
    }
  }

  private func expect(_ count: Int, _ arguments: [String], _ store: String) async throws {
    let counter = StoreArguments.OpeningCounter()
    try await StoreArguments.$openings.withValue(counter) {
      var command = try ListSync.parseAsRoot(arguments + ["--store", store])
      if var verb = command as? any AsyncParsableCommand {
        try await verb.run()
      } else {
        try command.run()
      }
    }
    #expect(counter.count.withLock { $0 } == count, "\(arguments)")
  }
}
