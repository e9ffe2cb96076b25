import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// The built program is killed while it applies or writes a bundle: all of it is there, or nothing.
/// `KillCampaign` also kills applications.
struct BundleKillTests {
  private static let itemCount = 2000
  private static let versionCount = 6

  @Test func killedApplyLeavesTheOldHeadOrTheTarget() async throws {
    var random = SeededRandom.forThisRun()
    let source = try await Self.source(&random)
    var (killedCount, windowSeconds) = (0, 0.6)
    for round in 1...2 {
      let copy = try CommandLineHarness()
      for (number, bundle) in ["first", "rest"].enumerated() {
        let file = source.url(bundle).path
        let seconds = Double.random(in: 0...windowSeconds, using: &random)
        let outcome = try await copy.run(["bundle", "apply", file], killSeconds: seconds)
        let isKilled = outcome.exitCode == 128 + SIGKILL
        try #require(isKilled || outcome.exitCode == 0, "seed \(random.seed): \(outcome)")
        killedCount += isKilled ? 1 : 0
        windowSeconds *= isKilled ? 1.25 : 0.8
        let version = try await Self.headVersion(copy)
        let (old, new) = number == 0 ? (0, 1) : (1, Self.versionCount)
        #expect(
          version == new || (isKilled && version == old),
          "seed \(random.seed), round \(round): \(version)")
        try await copy.succeed("bundle", "apply", file)
        #expect(try await Self.headVersion(copy) == new)
      }
      try await copy.succeed("verify")
      #expect(
        try await copy.succeed("log", "l", "--json").text
          == source.succeed("log", "l", "--json").text)
    }
    print("\(killedCount) of 4 applications were killed")
  }

  @Test func killedCreateLeavesAWholeBundleOrNone() async throws {
    var random = SeededRandom.forThisRun()
    let source = try await Self.source(&random)
    let whole = try Data(contentsOf: source.url("whole"))
    var (killedCount, windowSeconds) = (0, 0.4)
    for round in 1...6 {
      let name = "bundle-\(round)"
      let seconds = Double.random(in: 0...windowSeconds, using: &random)
      let outcome = try await source.run(
        ["bundle", "create", "l", "-o", name], killSeconds: seconds)
      let isKilled = outcome.exitCode == 128 + SIGKILL
      try #require(isKilled || outcome.exitCode == 0, "seed \(random.seed): \(outcome)")
      killedCount += isKilled ? 1 : 0
      windowSeconds *= isKilled ? 1.25 : 0.8
      let written = try? Data(contentsOf: source.url(name))
      #expect(written == whole || (isKilled && written == nil), "seed \(random.seed)")
    }
    print("\(killedCount) of 6 writers were killed")
  }

  /// A store with a list of a few versions, and the bundles `first`, `rest` and `whole`.
  private static func source(_ random: inout SeededRandom) async throws -> CommandLineHarness {
    let harness = try CommandLineHarness()
    for round in 1...versionCount {
      let ids = (0..<itemCount).shuffled(using: &random).prefix(itemCount * 3 / 4).sorted()
      let items = try ids.map { id in
        let value = Int.random(in: 0...9, using: &random) == 0 ? round : 0
        let content = try Content(json: #"{"id":\#(id),"v":\#(value)}"#)
        return Item(id: ItemID("\(id)"), content: content)
      }
      try harness.write(SnapshotDocument.encode(Snapshot(items)), to: "next.json")
      try await harness.succeed("commit", "l", "next.json")
    }
    try await harness.succeed("bundle", "create", "l", "--to", "1", "-o", "first")
    try await harness.succeed("bundle", "create", "l", "--since", "1", "-o", "rest")
    try await harness.succeed("bundle", "create", "l", "-o", "whole")
    return harness
  }

  /// 0 if there is no list or no store.
  private static func headVersion(_ harness: CommandLineHarness) async throws -> Int {
    let outcome = try await harness.run("log", "l", "-n", "1", "--json")
    if outcome.exitCode != 0 { return 0 }
    return (try outcome.json() as? [[String: Any]])?.first?["version"] as? Int ?? 0
  }
}
