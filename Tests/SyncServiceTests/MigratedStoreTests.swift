import Foundation
import GRDB
import ListModel
import ListStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

/// A store as the first schema left it, written by real commits, in the hands of this version.
@Suite struct MigratedStoreTests {
  /// A store of the second schema, its rows turned back into those of the first one.
  private func oldStore(_ history: (TestStore) async throws -> Void) async throws -> URL {
    let test = try TestStore()
    try await history(test)
    let folder = try TemporaryFolder.make()
    let path = folder.appendingPathComponent("old.db")
    let old = try DatabaseQueue(path: path.path)
    let sql = try String(
      contentsOf: Project.root.appendingPathComponent("Migrations/0001_create.sql"),
      encoding: .utf8)
    try await old.writeWithoutTransaction { db in
      try db.execute(sql: sql)
      try db.execute(
        sql: """
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('0001_create');
          """)
      try db.execute(sql: "ATTACH ? AS new", arguments: [test.path])
      try db.execute(sql: Self.downgrade)
      try db.execute(sql: "DETACH new")
    }
    try old.close()
    return path
  }

  private static let downgrade = """
    INSERT INTO lists SELECT list_id, name, head, oldest, id_rule FROM new.lists;
    INSERT INTO versions
    SELECT list_id, version, list_id << 40 | first_change,
      coalesce(
        (SELECT n.first_change FROM new.versions AS n WHERE n.version_id = v.version_id + 1),
        (SELECT next_change FROM new.lists AS l WHERE l.list_id = v.list_id)) - first_change,
      committed_at, author, message, item_count, removed, moved, inserted, updated, checksum, chain
    FROM new.versions AS v;
    INSERT INTO changes
    SELECT
      list_id << 40 | sequence, list_id,
      CASE kind WHEN 3 THEN 1 WHEN 2 THEN 2 WHEN 1 THEN 3 ELSE 4 END,
      list_id << 40 | coalesce(item, sequence), id,
      iif(kind = 0, coalesce(old_index, new_index), old_index), new_index,
      list_id << 40 | old_content,
      iif(kind = 3, NULL, list_id << 40 | coalesce(new_content, sequence)), content
    FROM (SELECT *, change_id & 4294967295 AS sequence FROM new.changes);
    """

  @Test func itsVersionsAreReadVerifiedAndContinued() async throws {
    var random = SeededRandom.forThisRun()
    var versions: [Snapshot] = []
    let path = try await oldStore { test in
      var history = TestHistory(test)
      try await history.commit(history.newItems(1500))
      for _ in 0..<12 {
        try await history.commitEdits(.random(in: 1...200, using: &random), &random)
      }
      versions = history.snapshots
      _ = try await test.service.commit(.init(list: ListName("films")!, snapshot: .of("x", "y")))
    }
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    // Opened to read, it is brought up to date as well.
    let reader = SyncService(store: try SQLiteStore(readingFrom: path.path)) { TestStore.noon }
    #expect(try await reader.verify(depth: .everything).problems == [], "seed \(random.seed)")

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
    #expect(try await service.verify(depth: .everything).problems == [])
  }
}
