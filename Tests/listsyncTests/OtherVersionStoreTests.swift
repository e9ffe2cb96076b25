import Foundation
import TestSupport
import Testing

/// A store of a later version, and one of a development version before the first release.
struct OtherVersionStoreTests {
  /// Arguments of each verb that use the store.
  private static func requests(repository: String) -> [[String]] {
    [
      ["lists"], ["commit", "parks", "after.json"], ["commit", "parks", "after.json", "--dry-run"],
      ["edit", "parks", "--remove", "zion"], ["revert", "parks", "1"], ["log", "parks"],
      ["blame", "parks"], ["grep", "parks", "zion"], ["show", "parks"],
      ["prove", "parks", "zion"], ["diff", "parks", "1", "2"], ["delta", "parks", "--since", "1"],
      ["replay", "parks"],
      ["bundle", "create", "parks", "-o", "new.bundle"], ["bundle", "apply", "parks.bundle"],
      ["export", "parks", "-o", "history.db"],
      ["report", "parks", "-o", "parks.html"], ["publish", "parks", "-o", "lists"],
      ["import-git", repository, "parks.json"], ["tag", "parks", "spring", "1"],
      ["rename", "parks", "forests"], ["drop", "parks", "--yes"],
      ["copy", "--from", "listsync.db", "--to", "new.db"],
      ["compact", "parks", "--vacuum"], ["prune", "parks", "--keep-last", "1", "--vacuum"],
      ["verify"], ["backup", "copy.db"],
      ["stats"], ["token", "create", "reader", "--read", "*"], ["token", "list"],
      ["token", "revoke", "reader"],
    ]
  }

  private static let verbsWithoutStore: Set = [
    "apply", "check-proof", "compare", "key", "limits", "merge", "pull", "store", "version",
  ]

  @Test(arguments: [
    (
      "PRAGMA user_version = 99",
      ["written by a newer listsync (schema 99, this one knows 1)", "it was not touched"]
    ),
    (
      "PRAGMA application_id = \(0x4C53_594E)",
      ["development version", "did not touch it", "listsync bundle apply"]
    ),
  ])
  func everyVerbRefusesTheStoreAndChangesNoFile(sql: String, words: [String]) async throws {
    let repository = try RepositoryFixture()
    try repository.load(FixtureCommit("First list", .write("parks.json", "[]")))
    let requests = Self.requests(repository: repository.path)
    #expect(Set(requests.map { $0[0] }).union(Self.verbsWithoutStore) == Set(HelpTests.verbs))
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "parks.bundle")
    try harness.write(Example.bytes("parks-before.json"), to: "after.json")
    try harness.change(sql)
    let (bytes, names) = (harness.storeBytes(), try harness.lastingFileNames())
    for request in requests {
      expectRefusal(try await harness.run(request), code: 1, says: words)
      #expect(harness.storeBytes() == bytes, "\(request)")
      #expect(try harness.lastingFileNames() == names, "\(request)")
    }
  }
}
