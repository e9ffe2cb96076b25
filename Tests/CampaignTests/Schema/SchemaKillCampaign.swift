import Foundation
import GRDB
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SQLiteStore

/// Processes that upgrade a store of schema 1 to a schema that only the tests have are killed.
@Suite struct SchemaKillCampaign {
  private static let campaign = Campaign("schema kills")
  /// Enough that an upgrade takes some time.
  private static let itemCount = 20_000

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
    let source = try await UpgradeSource(itemCount: Self.itemCount)
    for round in 0..<Self.campaign.rounds(4, long: 300) {
      let folder = try TemporaryFolder.make()
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appendingPathComponent("test.db").path
      try source.copy(to: path, isBackup: round % 3 == 2)
      for _ in 0..<4 {
        let seconds = Double.random(in: 0...tally.windowSeconds, using: &random)
        let outcome = try await WorkerProcess.run(
          ["upgrade", path], kill: .afterStart(seconds: seconds))
        try #require(
          outcome.isKilled || outcome.lines == ["upgraded"],
          "\(outcome), seed \(random.seed)")
        tally.windowSeconds *= outcome.isKilled ? 1.1 : 0.8
        guard outcome.isKilled else { break }
        try await Self.look(at: path, &tally)
      }
      let store = try SQLiteStore(path: path, ifAbsent: .fail, migrations: LaterSchema.migrations)
      let service = SyncService(store: store) { TestStore.noon }
      let context = Comment(rawValue: "round \(round), seed \(random.seed)")
      let unwrittenCount = try await store.readers().read {
        try Int.fetchOne($0, sql: LaterSchema.unwrittenRows)
      }
      #expect(unwrittenCount == 0, context)
      #expect(try await service.verify(depth: .everything).faults == [], context)
      #expect(try await UpgradeSource.Answers(of: service) == source.answers, context)
    }
    Self.campaign.report(
      """
      \(tally.killCount) upgrades killed: \(tally.oldCount) left the old schema, \
      \(tally.newCount) the new one; no version lost
      """)
  }

  /// The schema that a killed process left.
  private static func look(at path: String, _ tally: inout Tally) async throws {
    // Reads a copy, so that the next upgrade gets the unchanged store.
    let copy = path + ".copy"
    let files = FileManager.default
    for ending in ["", "-wal", "-journal"] where files.fileExists(atPath: path + ending) {
      try files.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    let (found, parts, unwrittenCount) = try await DatabaseQueue(path: copy).read { db in
      let parts = try Int.fetchOne(
        db,
        sql: """
          SELECT (SELECT count(*) FROM sqlite_schema WHERE name = 'authors')
            + (SELECT count(*) FROM pragma_table_info('segments') WHERE name = 'byte_count')
          """)
      return (
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0, parts,
        parts == 2 ? try Int.fetchOne(db, sql: LaterSchema.unwrittenRows) : 0
      )
    }
    #expect(parts == (found == 2 ? 2 : 0) && unwrittenCount == 0, "half of the upgrade is done")
    for ending in ["", "-wal", "-shm", "-journal"] { try? files.removeItem(atPath: copy + ending) }
    tally.killCount += 1
    switch found {
    case 1: tally.oldCount += 1
    case 2: tally.newCount += 1
    default: Issue.record("schema \(found), which is neither the old one nor the new one")
    }
  }
}
