import Foundation
import GRDB
import StoreTestSupport
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// A store with an older schema, whose upgrade is killed repeatedly.
@Suite struct SchemaKillCampaign {
  private static let campaign = Campaign("schema kills")
  /// The number of copies of each list, so that the upgrade takes some time.
  private static let copyCount = 60

  private struct Tally {
    var killCount = 0
    /// The numbers of kills that left the old schema and the new one.
    var oldCount = 0
    var newCount = 0
    /// The window for kills. It adapts, so that some upgrades are killed and others finish.
    var windowSeconds = 0.3
  }

  @Test func killedUpgradeLeavesAStoreThatOpensWithAllItsVersions() async throws {
    var random = Self.campaign.random()
    var tally = Tally()
    for round in 0..<Self.campaign.rounds(4, long: 150) {
      for schema in [1, 2] {
        let harness = try CommandLineHarness()
        let path = harness.url("listsync.db").path
        let isBackup = round % 3 == 2
        try StoreFixture.make(
          schema: schema, at: path, isBackup: isBackup, copies: Self.copyCount)
        for _ in 0..<4 {
          let seconds = Double.random(in: 0...tally.windowSeconds, using: &random)
          let outcome = try await harness.run(["lists"], killSeconds: seconds)
          let isKilled = outcome.exitCode == 128 + SIGKILL
          try #require(isKilled || outcome.exitCode == 0, "\(outcome), seed \(random.seed)")
          tally.windowSeconds *= isKilled ? 1.1 : 0.8
          guard isKilled else { break }
          try await Self.look(at: path, schema: schema, &tally)
        }
        try await expectWhole(harness, schema: schema, "round \(round), seed \(random.seed)")
      }
    }
    Self.campaign.report(
      """
      \(tally.killCount) upgrades killed: \(tally.oldCount) left the old schema, \
      \(tally.newCount) the new one; no version lost
      """)
  }

  /// The schema that a killed process left.
  private static func look(at path: String, schema: Int, _ tally: inout Tally) async throws {
    // Reads a copy, so that the next upgrade gets the unchanged store.
    let copy = path + ".copy"
    let files = FileManager.default
    for ending in ["", "-wal", "-journal"] where files.fileExists(atPath: path + ending) {
      try files.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    let found = try await DatabaseQueue(path: copy).read { db in
      try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }
    for ending in ["", "-wal", "-shm", "-journal"] { try? files.removeItem(atPath: copy + ending) }
    tally.killCount += 1
    switch found {
    case SQLiteStore.schemaVersion: tally.newCount += 1
    case schema: tally.oldCount += 1
    default: Issue.record("schema \(found), which is neither the old one nor the new one")
    }
  }

  private func expectWhole(
    _ harness: CommandLineHarness, schema: Int, _ what: String
  ) async throws {
    try await harness.succeed("verify")
    for list in try StoreFixture.recorded(schema: schema).lists {
      let log = try await harness.succeed("log", list.name, "--json").json()
      let versions = try #require(log as? [[String: Any]])
      let cursors = list.versions.reversed().map { "\($0.version)-\($0.chain.prefix(12))" }
      #expect(versions.compactMap { $0["cursor"] as? String } == cursors, "\(what)")
    }
    let count = try await harness.succeed("lists", "--json").json() as? [Any]
    #expect(count?.count == 2 * (Self.copyCount + 1), "\(what)")
  }
}
