import Foundation
import GRDB
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct VerificationTests {
  /// Damage to a change, and the version at which verification finds it.
  private static let damagedChanges:
    [(name: String, version: Int, body: @Sendable (inout LoggedChange) -> Void)] = [
      (
        "another content", 1,
        { if $0.id == "b" { $0.text = #"{"id":"b","value":9}"# } }
      ),
      ("another id", 1, { if $0.id == "b" { $0.id = "q" } }),
      (
        "two indexes exchanged", 1,
        { if $0.kind == .insert, let to = $0.to, to < 2 { $0.to = 1 - to } }
      ),
      ("another old index", 2, { if $0.kind == .update { $0.from = 1 } }),
      (
        "a removal", 2,
        {
          guard $0.kind == .update else { return }
          ($0.kind, $0.from, $0.to, $0.newContent, $0.text) = (.remove, $0.to, nil, nil, nil)
        }
      ),
      (
        "no new content", 2,
        { if $0.kind == .update { ($0.newContent, $0.text) = ($0.oldContent, nil) } }
      ),
      ("an index that is not there", 3, { if $0.kind == .remove { $0.from = 7 } }),
    ]

  @Test(arguments: damagedChanges.indices)
  func verificationNamesTheVersionOfADamagedChange(number: Int) async throws {
    let (name, version, body) = Self.damagedChanges[number]
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    try await SQLiteStore(path: path.path, ifAbsent: .fail).rewriteLog { _ in }
    #expect(try await faults(of: path) == [])
    try await SQLiteStore(path: path.path, ifAbsent: .fail).rewriteLog(body)
    let faults = try await faults(of: path)
    #expect(faults.map(\.list) == [.parks], "\(name): \(faults)")
    #expect(faults.map(\.version) == [Version(version)], "\(name): \(faults)")
  }

  /// Damage to every stored fact that a version depends on beside its changes, and the version at
  /// which verification finds it.
  @Test(arguments: [
    ("UPDATE versions SET item_count = item_count + 1 WHERE version = 3", 3),
    ("UPDATE versions SET removed = 7 WHERE version = 3", 3),
    ("UPDATE versions SET author = 'Eve' WHERE version = 2", 2),
    ("UPDATE versions SET committed_at = committed_at + 1 WHERE version = 2", 2),
    ("UPDATE versions SET root = zeroblob(32) WHERE version = 3", 3),
    ("UPDATE versions SET chain = zeroblob(32) WHERE version = 3", 3),
    ("DELETE FROM versions WHERE version = 2", 2),
  ])
  func verificationNamesTheVersionOfADamagedValue(sql: String, version: Int) async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    #expect(try await faults(of: path) == [])
    try await change(path, sql)
    let faults = try await faults(of: path)
    #expect(faults.map(\.list) == [.parks], "\(faults)")
    #expect(faults.map(\.version) == [Version(version)], "\(faults)")
  }

  /// Facts that no replay uses: derived ones, references to versions, and those of no list.
  @Test(
    arguments: [
      ("UPDATE lists SET oldest = 9", nil, "oldest version is after"),
      ("UPDATE lists SET head = 2", 3, "not among the versions"),
      ("UPDATE versions SET version_id = version_id - 1 WHERE version = 1", 0, "not among"),
      ("UPDATE lists SET next_change = next_change + 1", 1, "a segment of a list is missing"),
      ("UPDATE lists SET next_change = next_change - 1", 1, "a segment of a list is missing"),
      ("DELETE FROM segments", 1, "a segment of a list is missing"),
      ("UPDATE segments SET segment_id = segment_id + 1", 1, "a segment of a list"),
      ("UPDATE segments SET end_change = end_change + 1", 1, "a segment of a list"),
      ("INSERT INTO tags VALUES (1, 'spring', 9, 0, 0)", 9, "a tag names it, though"),
      ("INSERT INTO checkpoints VALUES (1, 9, 0, 1, 0, 0, x'')", 9, "a checkpoint of it, though"),
      ("INSERT INTO checkpoints VALUES (1, 2, 0, 1, 0, 0, x'')", 2, "checkpoint"),
      ("INSERT INTO checkpoints VALUES (1, 2, 1, 1, 0, 0, x'')", 2, "checkpoint"),
      ("UPDATE head_parts SET data = zeroblob(30)", 3, "damaged"),
      (
        "DELETE FROM head_parts; "
          + "INSERT INTO head_parts VALUES (1, 0, 1, 1, 1, zeroblob(32), 0, 0, x'')", 3,
        "of 2 items"
      ),
      ("INSERT INTO change_sets VALUES (1, 1, 2, 0, 0, 0, 0, x'')", 2, "are damaged"),
      ("INSERT INTO change_sets VALUES (1, 1, 2, 7, 0, 0, 0, x'01000300')", 2, "the length"),
      ("INSERT INTO change_sets VALUES (1, 1, 9, 0, 0, 0, 0, x'')", 9, "never had it"),
      ("INSERT INTO change_sets VALUES (1, -1, 2, 0, 0, 0, 0, x'')", 2, "breaks the rules"),
      ("INSERT INTO prunes VALUES (1, 3, 1, 0, NULL, '', zeroblob(32), 0)", nil, "as pruned"),
      ("INSERT INTO prunes VALUES (1, 1, 0, 0, NULL, '', zeroblob(32), 0)", 1, "on record from"),
    ] as [(String, Int?, String)])
  func verifyNamesDamageThatReplayMisses(sql: String, version: Int?, words: String) async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    try await change(path, sql)
    let faults = try await faults(of: path)
    #expect(faults.allSatisfy { $0.list == .parks })
    let isNamed = faults.contains { fault in
      fault.version?.number == version && fault.reason.contains(words)
    }
    #expect(isNamed, "\(faults)")
  }

  /// Replay reads no text that no change wrote.
  @Test func verificationFindsATextThatNoChangeWrote() async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    try await store.rewriteLog { if $0.kind == .remove { $0.text = "1" } }
    let faults = try await faults(of: path)
    #expect(faults.map(\.reason) == ["a segment has other texts than its changes wrote"])
  }

  @Test(arguments: [
    ("INSERT INTO tags VALUES (7, 'spring', 1, 0, 0)", "tags"),
    ("INSERT INTO imports VALUES (7, 'git', 'x', 0)", "imports"),
    ("INSERT INTO head_parts VALUES (7, 0, 1, 1, 1, zeroblob(32), 0, 0, x'')", "head_parts"),
    ("INSERT INTO checkpoints VALUES (-1, 1, 0, 1, 0, 0, x'')", "checkpoints"),
    ("INSERT INTO segments VALUES ((7 << 32) + 1, 2, 1, 0, 0, x'')", "segments"),
    ("INSERT INTO blocks VALUES (7, 1, 1, 0, 0, x'')", "blocks"),
    (
      "INSERT INTO versions SELECT version_id + (6 << 32), first_change, committed_at, author, "
        + "message, item_count, removed, moved, inserted, updated, root, chain, 0 "
        + "FROM versions WHERE version = 1", "versions"
    ),
    ("DROP INDEX former_lists_by_name", "index former_lists_by_name"),
  ])
  func verificationFindsStrayRowsAndAChangedSchema(sql: String, words: String) async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    try await change(path, sql)
    let faults = try await faults(of: path)
    #expect(faults.count == 1 && faults.first?.list == nil, "\(faults)")
    #expect(faults.first?.reason.contains(words) == true, "\(faults)")
  }

  @Test func viewsAndIndexesOfOtherProgramsAreAccepted() async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    try await change(
      path, "CREATE VIEW mine AS SELECT 1; CREATE INDEX mine_too ON versions (author); ANALYZE")
    #expect(try await faults(of: path) == [])
  }

  /// Versions are read in groups, and the damaged one is still named.
  @Test func verificationNamesADamagedVersionAtAnyPosition() async throws {
    let original = try TestStore()
    for number in 1...200 {
      _ = try await original.service.commit(.init(list: .parks, snapshot: .of("a", "b=\(number)")))
    }
    let sound = try await original.service.verify()
    #expect(sound.faults == [] && sound.verified.map(\.versionCount) == [200])
    try await original.emptyLog()
    for (place, version) in [1, 2, 63, 64, 65, 66, 128, 129, 199, 200].enumerated() {
      let test = try TestStore(copying: original.path)
      for (number, sql) in [
        "UPDATE versions SET author = CASE version WHEN \(version) THEN 'Eve' END",
        "UPDATE versions SET author = NULL, item_count = 2 + 5 * (version = \(version))",
        "UPDATE versions SET item_count = 2; DELETE FROM versions WHERE version = \(version)",
      ].enumerated() {
        try await test.sql(sql)
        let depth = (place + number) % 2 == 0 ? VerificationDepth.changes : .everything
        let faults = try await test.service.verify(depth: depth).faults
        #expect(faults.map(\.version) == [Version(version)], "\(sql): \(faults)")
      }
    }
  }

  @Test func verificationReadsEveryVersionOnce() async throws {
    let test = try TestStore()
    for number in 1...150 {
      _ = try await test.service.commit(.init(list: .parks, snapshot: .of("a", "b=\(number)")))
    }
    let seen = Mutex<[Int]>([])
    let rows = try await test.rowsRead {
      _ = try await test.service.verify { _, version in
        seen.withLock { $0.append(version.number) }
      }
    }
    #expect(seen.withLock { $0 } == Array(1...150))
    // The segments, and one row for each version; the list at both ends.
    #expect(rows < 150 * 12, "\(rows) rows")
  }

  @Test func otherListsAreVerifiedBesideADamagedList() async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    let service = SyncService(store: store) { TestStore.noon }
    _ = try await service.commit(.init(list: ListName("films")!, snapshot: try .of("x")))
    try await change(path, "UPDATE versions SET root = zeroblob(32) WHERE list_id = 1")
    let report = try await service.verify()
    #expect(report.verified.map(\.list.text) == ["films"])
    #expect(report.faults.map(\.list) == [.parks])
  }

  @Test func snapshotWithAWrongRootIsNeverReturned() async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    try await store.rewriteLog { if $0.id == "b" { $0.id = "q" } }
    let service = SyncService(store: store) { TestStore.noon }
    await #expect(throws: ServiceError.self) { try await service.snapshot(of: .parks) }
  }

  private func storeOfThreeVersions() async throws -> URL {
    let path = try TemporaryFolder.make().appendingPathComponent("test.db")
    let store = try SQLiteStore(path: path.path, ifAbsent: .create)
    let service = SyncService(store: store) { TestStore.noon }
    for texts in [["a", "b", "c"], ["a", "b", "c=1"], ["b", "c=1"]] {
      _ = try await service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    return path
  }

  /// Runs SQL on a store without the service.
  private func change(_ path: URL, _ sql: String) async throws {
    try await DatabaseQueue(path: path.path).write { try $0.executeAsWritten(sql) }
  }

  private func faults(of path: URL) async throws -> [VerificationReport.Fault] {
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    return try await SyncService(store: store) { TestStore.noon }.verify().faults
  }
}
