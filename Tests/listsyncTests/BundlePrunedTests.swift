import Foundation
import Testing

/// Bundles of a list whose oldest versions were pruned.
struct BundlePrunedTests {
  @Test func bundleOfAPrunedListStartsAtItsOldestVersionAndContinuesElsewhere() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("commit", "parks", "-", input: #"[{"id":"zion"},{"id":"arches"}]"#)
    try await harness.succeed("commit", "parks", "-", input: #"[{"id":"arches"},{"id":"denali"}]"#)
    try await harness.succeed("prune", "parks", "--keep-last", "2")
    let created = try await harness.succeed("bundle", "create", "parks", "-o", "b")
    #expect(created.text.contains(": full, from 3-"))
    #expect(created.text.contains("since older versions are pruned; 1 step; 2 items"))
    try await harness.succeed("bundle", "verify", "b")
    let applied = try await harness.succeed("bundle", "apply", "b", "--store", "other.db")
    #expect(applied.text.hasSuffix(": 2 versions added; 2 items\n"))
    try await harness.succeed("verify", "--deep", "--store", "other.db")
    try await harness.succeed("verify", "--deep")

    // The record of the pruning is not transferred; the versions are the same.
    try await harness.succeed("commit", "parks", Example.url("parks-before.json").path)
    try await harness.succeed("bundle", "create", "parks", "--since", "4", "-o", "more")
    try await harness.succeed("bundle", "apply", "more", "--store", "other.db")
    try await harness.succeed("bundle", "create", "parks", "-o", "here")
    try await harness.succeed("bundle", "create", "parks", "-o", "there", "--store", "other.db")
    #expect(
      try String(contentsOf: harness.url("here"), encoding: .utf8)
        == String(contentsOf: harness.url("there"), encoding: .utf8))
    for version in 3...5 {
      #expect(
        try await harness.succeed("show", "parks@\(version)").text
          == harness.succeed("show", "parks@\(version)", "--store", "other.db").text)
    }
    // A transferred list can be pruned.
    try await harness.succeed("prune", "parks", "--keep-last", "1", "--store", "other.db")
    try await harness.succeed("verify", "--deep", "--store", "other.db")

    expectRefusal(
      try await harness.run("bundle", "create", "parks", "--since", "2", "-o", "old"), code: 5,
      says: ["2"])
    expectRefusal(
      try await harness.run("bundle", "create", "parks", "--since", "0", "-o", "old"), code: 5,
      says: ["0"])
  }

  @Test func bundleFromBeforeAPruningIsUpToDateOrTooOld() async throws {
    let harness = try await CommandLineHarness.withParks()
    try await harness.succeed("bundle", "create", "parks", "-o", "all")
    try await harness.succeed("bundle", "create", "parks", "--to", "1", "-o", "first")
    try await harness.succeed("prune", "parks", "--keep-last", "1")
    let applied = try await harness.succeed("bundle", "apply", "all")
    #expect(applied.text.hasSuffix(": already up to date; 5 items\n"))
    expectRefusal(
      try await harness.run("bundle", "apply", "first"), code: 5,
      says: ["the bundle ends at 1-", "parks was pruned and begins at 2-", "Nothing was changed"])
  }
}
