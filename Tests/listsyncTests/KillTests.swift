import Foundation
import ListDocuments
import ListModel
import TestSupport
import Testing

/// A killed commit of the built program leaves the old version or the new one. `KillCampaign` tests
/// the store itself.
struct KillTests {
  private static let storeCount = 1
  private static let roundCount = 5
  private static let itemCount = 3000

  @Test func killedCommitLeavesTheOldVersionOrTheNewVersion() async throws {
    var random = SeededRandom.forThisRun()
    var tally = Tally()
    // Each store gets few versions, since each round verifies all of them.
    for _ in 1...Self.storeCount {
      let harness = try CommandLineHarness()
      var head = try Self.snapshot(0, &random)
      var version = 1
      try await Self.commit(head, to: harness)
      for round in 1...Self.roundCount {
        let next = try Self.snapshot(round, &random)
        let isKilled = try await tally.killedCommit(next, to: harness, &random)
        let isNew = try await Self.expectOldOrNew(in: harness, old: head, new: next)
        try #require(isNew || isKilled, "finished and not there; seed \(random.seed)")
        if isNew { (head, version) = (next, version + 1) }
        #expect(try await Self.headVersion(harness) == version, "seed \(random.seed)")
      }
      try await Self.commit(Self.snapshot(Self.roundCount + 1, &random), to: harness)
      #expect(try await Self.headVersion(harness) == version + 1)
      try await harness.succeed("replay", "l", "--check")
    }
    print("\(tally.killedCount) of \(Self.storeCount * Self.roundCount) commits were killed")
  }

  @Test func storeCanBeCreatedAgainAfterAKilledCreation() async throws {
    var random = SeededRandom.forThisRun()
    var tally = Tally()
    for round in 1...3 {
      let harness = try CommandLineHarness()
      let snapshot = try Self.snapshot(round, &random)
      _ = try await tally.killedCommit(snapshot, to: harness, &random)
      try await Self.commit(snapshot, to: harness)
      #expect(try await Self.headVersion(harness) == 1, "seed \(random.seed)")
      try await harness.succeed("verify")
    }
  }

  /// Kills commits within a window that adapts, so that some are killed and others finish.
  private struct Tally {
    private var windowSeconds = 0.15
    private(set) var killedCount = 0

    /// Whether the commit was killed before it finished.
    mutating func killedCommit(
      _ snapshot: Snapshot, to harness: CommandLineHarness, _ random: inout SeededRandom
    ) async throws -> Bool {
      try harness.write(SnapshotDocument.encode(snapshot), to: "next.json")
      let seconds = Double.random(in: 0...windowSeconds, using: &random)
      let outcome = try await harness.run(["commit", "l", "next.json"], killSeconds: seconds)
      let isKilled = outcome.exitCode == 128 + SIGKILL
      try #require(isKilled || outcome.exitCode == 0, "seed \(random.seed): \(outcome)")
      windowSeconds *= isKilled ? 1.25 : 0.8
      killedCount += isKilled ? 1 : 0
      return isKilled
    }
  }

  /// Whether the head is the new snapshot. Otherwise it must be the old one, without damage.
  private static func expectOldOrNew(
    in harness: CommandLineHarness, old: Snapshot, new: Snapshot
  ) async throws -> Bool {
    try await harness.succeed("verify")
    let shown = try await harness.succeed("show", "l").output
    let isNew = shown == SnapshotDocument.encode(new)
    try #require(isNew || shown == SnapshotDocument.encode(old), "neither the old nor the new one")
    return isNew
  }

  private static func commit(_ snapshot: Snapshot, to harness: CommandLineHarness) async throws {
    try harness.write(SnapshotDocument.encode(snapshot), to: "whole.json")
    try await harness.succeed("commit", "l", "whole.json")
    #expect(try await harness.succeed("show", "l").output == SnapshotDocument.encode(snapshot))
  }

  private static func headVersion(_ harness: CommandLineHarness) async throws -> Int? {
    let log = try await harness.succeed("log", "l", "-n", "1", "--json").json()
    return try #require(log as? [[String: Any]]).first?["version"] as? Int
  }

  /// Items that stay, move, change, appear and disappear from one round to the next.
  private static func snapshot(_ round: Int, _ random: inout SeededRandom) throws -> Snapshot {
    let ids = (0..<itemCount + itemCount / 4).shuffled(using: &random).prefix(itemCount).sorted()
    let items = try ids.map { id in
      let value = Int.random(in: 0...9, using: &random) == 0 ? round : 0
      return Item(id: ItemID("\(id)"), content: try Content(json: #"{"id":\#(id),"v":\#(value)}"#))
    }
    let cut = Int.random(in: 0..<items.count, using: &random)
    return try Snapshot(Array(items[cut...] + items[..<cut]))
  }
}
