import Foundation
import GRDB
import ListModel
import ListStore
import SyncService
import TestSupport
import Testing

@Suite struct VerificationTests {
  /// Every stored fact that a version depends on, spoiled by hand, and the version at which it
  /// shows.
  @Test(arguments: [
    ("UPDATE changes SET content = '{\"id\":\"b\",\"value\":9}' WHERE content LIKE '%\"b\"%'", 1),
    ("UPDATE changes SET id = 'q' WHERE id = 'b'", 1),
    ("UPDATE changes SET new_index = 1 - new_index WHERE kind = 1 AND new_index < 2", 1),
    ("UPDATE changes SET old_index = 1 WHERE kind = 0 AND new_index = 2", 2),
    ("UPDATE changes SET kind = 3 WHERE kind = 0", 2),
    ("UPDATE changes SET new_content = old_content WHERE kind = 0", 2),
    ("DELETE FROM changes WHERE kind = 3", 3),
    ("UPDATE versions SET item_count = item_count + 1 WHERE version = 3", 3),
    ("UPDATE versions SET removed = 7 WHERE version = 3", 3),
    ("UPDATE versions SET author = 'Eve' WHERE version = 2", 2),
    ("UPDATE versions SET committed_at = committed_at + 1 WHERE version = 2", 2),
    ("UPDATE versions SET checksum = zeroblob(16) WHERE version = 3", 3),
    ("UPDATE versions SET chain = zeroblob(32) WHERE version = 3", 3),
    ("DELETE FROM versions WHERE version = 2", 2),
  ])
  func aSpoiledFactIsFoundAndNamed(sql: String, version: Int) async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    #expect(try await problems(of: path) == [])
    try await DatabaseQueue(path: path.path).write { try $0.execute(sql: sql) }
    let problems = try await problems(of: path)
    #expect(problems.map(\.list) == [.parks], "\(problems)")
    #expect(problems.map(\.version) == [Version(version)], "\(problems)")
  }

  @Test func theRestIsVerifiedWhereOneListIsSpoiled() async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    let service = SyncService(store: store) { TestStore.noon }
    _ = try await service.commit(.init(list: ListName("films")!, snapshot: try .of("x")))
    try await DatabaseQueue(path: path.path).write {
      try $0.execute(sql: "UPDATE versions SET checksum = zeroblob(16) WHERE list_id = 1")
    }
    let report = try await service.verify()
    #expect(report.verified.map(\.list.text) == ["films"])
    #expect(report.problems.map(\.list) == [.parks])
  }

  @Test func aSnapshotThatItsChecksumDoesNotFitIsNeverHandedOut() async throws {
    let path = try await storeOfThreeVersions()
    defer { try? FileManager.default.removeItem(at: path.deletingLastPathComponent()) }
    try await DatabaseQueue(path: path.path).write {
      try $0.execute(sql: "UPDATE changes SET id = 'q' WHERE id = 'b'")
    }
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
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

  private func problems(of path: URL) async throws -> [VerificationReport.Problem] {
    let store = try SQLiteStore(path: path.path, ifAbsent: .fail)
    return try await SyncService(store: store) { TestStore.noon }.verify().problems
  }
}
