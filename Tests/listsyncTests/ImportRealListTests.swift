import Foundation
import TestSupport
import Testing

/// Imports a repository of a real list's versions, and compares the counts with those of an
/// independent program.
@Suite(.enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
struct ImportRealListTests {
  /// One version is a header without rows; the next one restores all rows.
  private static let range = 132...145

  @Test func importedHistoryHasTheItemsAndChangesOfTheTruth() async throws {
    let list = try #require(RealList.several.first { $0.name == "regions" })
    let truth = try list.truth()
    let versions = truth.versions.filter { Self.range.contains($0.version) }
    let (fixture, harness) = (try RepositoryFixture(), try CommandLineHarness())
    try await list.withVersions { folder in
      try fixture.load(
        versions.map { version in
          let content = try Data(contentsOf: folder.appendingPathComponent(version.file))
          return FixtureCommit(
            message: Array("\(version.version)".utf8),
            [.write("data/regions.csv", Array(content), mode: "100644")])
        })
    }
    let outcome = try await harness.succeed("import-git", fixture.path, "data/regions.csv")
    #expect(outcome.text.contains("\(versions.count) versions from \(versions.count) commits;"))

    let log = try await harness.succeed("log", "regions", "--json").json()
    let records: [[String: Any]] = try #require(log as? [[String: Any]]).reversed()
    #expect(records.map { $0["message"] as? String } == versions.map { "\($0.version)" })
    #expect(records.map { $0["count"] as? Int } == versions.map(\.items))
    for (number, record) in records.enumerated().dropFirst() {
      let to = Self.range.lowerBound + number
      let pair = try #require(truth.pairs.first { $0.from == to - 1 && $0.to == to })
      let changes = try #require(record["changes"] as? [String: Int])
      #expect(
        changes == [
          "removed": pair.removed, "moved": pair.moved, "inserted": pair.inserted,
          "updated": pair.updated,
        ], "version \(to)")
    }
    try await harness.succeed("verify")
  }
}
