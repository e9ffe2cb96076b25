import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

/// A store of the first schema, written by real commits, opened by this version.
@Suite struct MigratedStoreTests {
  @Test func versionsOfAMigratedStoreAreReadableVerifiedAndContinued() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(history.newItems(1500))
    for _ in 0..<12 {
      try await history.commitEdits(.random(in: 1...200, using: &random), &random)
    }
    let versions = history.snapshots
    _ = try await test.service.commit(.init(list: ListName("films")!, snapshot: .of("x", "y")))
    let path = try TemporaryFolder.make().appendingPathComponent("old.db")
    try await FirstSchema.write(test, to: path.path)
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    // Opening it for reading upgrades it, too.
    let reader = SyncService(store: try SQLiteStore(readingFrom: path.path)) { TestStore.noon }
    #expect(try await reader.verify(depth: .everything).faults == [], "seed \(random.seed)")

    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    let service = SyncService(store: store) { TestStore.noon }
    for (number, snapshot) in versions.enumerated() {
      let revision = Revision.version(Version(number))
      #expect(try await service.snapshot(of: .parks, at: revision).snapshot == snapshot)
      let delta = try await service.delta(of: .parks, since: revision)
      #expect(delta.changes == snapshot.changes(to: versions[versions.count - 1]))
    }
    let next = try Snapshot(versions[versions.count - 1].items.dropFirst(3).reversed())
    _ = try await service.commit(.init(list: .parks, snapshot: next))
    #expect(try await service.snapshot(of: .parks).snapshot == next)
    let isThere = try await store.read { reader in
      try reader.headOrder(of: reader.existingList(.parks)) != nil
    }
    #expect(isThere)
    #expect(try await service.verify(depth: .everything).faults == [])
  }
}
