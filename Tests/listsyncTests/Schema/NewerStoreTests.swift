import Foundation
import TestSupport
import Testing

/// A store with a future schema.
struct NewerStoreTests {
  /// Arguments of each verb that use the store.
  private static func requests(repository: String) -> [[String]] {
    [
      ["lists"], ["commit", "parks", "after.json"], ["commit", "parks", "after.json", "--dry-run"],
      ["edit", "parks", "--remove", "zion"], ["revert", "parks", "1"], ["log", "parks"],
      ["blame", "parks"], ["grep", "parks", "zion"], ["show", "parks"],
      ["diff", "parks", "1", "2"], ["delta", "parks", "--since", "1"], ["replay", "parks"],
      ["bundle", "create", "parks", "-o", "new.bundle"], ["bundle", "apply", "parks.bundle"],
      ["report", "parks", "-o", "parks.html"],
      ["import-git", repository, "parks.json"], ["tag", "parks", "spring", "1"],
      ["rename", "parks", "forests"], ["drop", "parks", "--yes"],
      ["copy", "--from", "listsync.db", "--to", "new.db"],
      ["prune", "parks", "--keep-last", "1", "--vacuum"], ["verify"], ["backup", "copy.db"],
      ["stats"], ["token", "create", "reader", "--read", "*"], ["token", "list"],
      ["token", "revoke", "reader"],
    ]
  }

  private static let verbsWithoutStore: Set = ["apply", "compare", "limits", "pull", "version"]

  @Test func everyVerbRefusesANewerStoreAndChangesNoFile() async throws {
    let repository = try RepositoryFixture()
    try repository.load(FixtureCommit("First list", .write("parks.json", "[]")))
    let requests = Self.requests(repository: repository.path)
    #expect(Set(requests.map { $0[0] }).union(Self.verbsWithoutStore) == Set(HelpTests.verbs))
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    try harness.write(Example.bytes("parks-before.json"), to: "after.json")
    try harness.change("PRAGMA user_version = 99")
    let (bytes, names) = (harness.storeBytes(), try harness.lastingFileNames())
    for request in requests {
      expectRefusal(
        try await harness.run(request), code: 1,
        says: ["written by a newer listsync (schema 99, this one knows 8)", "it was not touched"])
      #expect(harness.storeBytes() == bytes, "\(request)")
      #expect(try harness.lastingFileNames() == names, "\(request)")
    }
  }
}
