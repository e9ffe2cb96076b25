import Foundation
import TestSupport
import Testing

/// A real list's history, transferred in two bundles.
@Suite(.enabled(if: RealList.areThere, Comment(rawValue: RealList.skipNote)))
struct BundleRealListTests {
  @Test func bundledHistoryOfARealListIsTheSameInAnotherStore() async throws {
    let list = try #require(RealList.several.first { $0.name == "movies-top250" })
    let (truth, spec) = (try list.truth(), try list.spec())
    let versions = truth.versions.filter { $0.status == "ok" }.prefix(8)
    try #require(versions.count == 8)
    let harness = try CommandLineHarness()
    try await list.withVersions { folder in
      for version in versions {
        let file = folder.appendingPathComponent(version.file).path
        try await harness.run(
          ["commit", "movies", file, "-m", "\(version.version)", "--duplicates", "keep-first"]
            + spec.id.flatMap { ["--id", $0] }
        ).expectSuccess()
      }
    }
    try await harness.succeed("bundle", "create", "movies", "--to", "3", "-o", "1.bundle.gz")
    try await harness.succeed("bundle", "create", "movies", "--since", "3", "-o", "2.bundle.gz")
    for file in ["1.bundle.gz", "2.bundle.gz"] {
      try await harness.succeed("bundle", "verify", file)
      try await harness.succeed("bundle", "apply", file, "--store", "other.db")
    }
    for verb in [["log", "movies", "--json"], ["show", "movies"], ["show", "movies@2"]] {
      let here = try await harness.run(verb)
      #expect(here.exitCode == 0 && !here.output.isEmpty)
      #expect(try await harness.run(verb + ["--store", "other.db"]).output == here.output)
    }
    try await harness.succeed("verify", "--store", "other.db")
  }
}

extension CommandLineHarness.Outcome {
  fileprivate func expectSuccess() throws { try #require(exitCode == 0, "\(self)") }
}
