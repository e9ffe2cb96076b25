import Foundation
import GRDB
import ListModel
import Migrations
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// A store of schema 1 is opened by a later version, with a schema that only the tests have.
@Suite struct SchemaCampaign {
  private static let source = Task { try await UpgradeSource() }

  private func service(on store: SQLiteStore) -> SyncService {
    SyncService(store: store) { TestStore.noon }
  }

  /// Opens a store as a later version.
  private func opened(
    _ path: String, busyTimeoutSeconds: TimeInterval = SQLiteStore.busyTimeoutSeconds
  ) throws -> SQLiteStore {
    try SQLiteStore(
      path: path, ifAbsent: .fail, busyTimeoutSeconds: busyTimeoutSeconds,
      migrations: LaterSchema.migrations)
  }

  private func make(isBackup: Bool = false) async throws -> (path: String, UpgradeSource.Answers) {
    let path = try TemporaryFolder.make().appendingPathComponent("old.db").path
    let source = try await Self.source.value
    try source.copy(to: path, isBackup: isBackup)
    return (path, source.answers)
  }

  private func remove(_ path: String) {
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  /// The files, without those of an empty write-ahead log, which SQLite may leave after reading.
  private func names(beside path: String) throws -> [String] {
    let folder = (path as NSString).deletingLastPathComponent
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
      return !name.hasSuffix("-shm") && !bytes.isEmpty
    }.sorted()
  }

  private func schema(of path: String) async throws -> Int? {
    try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
  }

  @Test(arguments: [false, true])
  func upgradedStoreAnswersAsBeforeAndGoesOn(isBackup: Bool) async throws {
    let (path, before) = try await make(isBackup: isBackup)
    defer { remove(path) }
    do {
      let store = try opened(path)
      #expect(try await schema(of: path) == 2)
      let unwrittenCount = try await store.readers().read {
        try Int.fetchOne($0, sql: LaterSchema.unwrittenRows)
      }
      #expect(unwrittenCount == 0)
      #expect(try await UpgradeSource.Answers(of: service(on: store)) == before)
      #expect(try await LogInvariants.faults(of: store) == [])
    }
    let reader = try SQLiteStore(readingFrom: path, migrations: LaterSchema.migrations)
    #expect(try await UpgradeSource.Answers(of: service(on: reader)) == before)
    try await goOn(path)
    #expect(try await schema(of: path) == 2)
  }

  /// Commits to each list, and examines all of them again.
  private func goOn(_ path: String) async throws {
    let store = try opened(path)
    let service = service(on: store)
    for list in try await service.lists() {
      let head = try await service.snapshot(of: list.name).snapshot
      let item = Item(id: "new", content: try Content(json: "1"))
      let next = try Snapshot([item] + head.items.reversed())
      _ = try await service.commit(.init(list: list.name, snapshot: next))
      #expect(try await service.snapshot(of: list.name).snapshot == next)
    }
    #expect(try await service.verify(depth: .everything).faults == [])
    #expect(try await LogInvariants.faults(of: store) == [])
  }

  /// A restored dump has neither the application's number nor the schema's.
  @Test func restoredDumpIsUpgradedByItsTables() async throws {
    let (path, before) = try await make(isBackup: true)
    defer { remove(path) }
    try await DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA application_id = 0; PRAGMA user_version = 0")
    }
    let service = service(on: try opened(path))
    #expect(try await schema(of: path) == 2)
    #expect(try await UpgradeSource.Answers(of: service) == before)
    #expect(try await service.verify(depth: .everything).faults == [])
  }

  @Test(arguments: [false, true])
  func readerRefusesAnOlderStoreByNameAndChangesNothing(isBackup: Bool) async throws {
    let (path, _) = try await make(isBackup: isBackup)
    defer { remove(path) }
    let (bytes, names) = (try Data(contentsOf: URL(fileURLWithPath: path)), try names(beside: path))
    #expect(throws: StoreError.older(store: path, schema: 1, known: 2)) {
      try SQLiteStore(readingFrom: path, migrations: LaterSchema.migrations)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try self.names(beside: path) == names)
  }

  /// A program that writes and does not end.
  private func writing(to path: String) async throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(
      path: path, configuration: configuration)
    try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    return queue
  }

  @Test func manyProcessesMayUpgradeTheSameStoreAtOnce() async throws {
    let (path, before) = try await make()
    defer { remove(path) }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let worker = try await WorkerProcess.run(["upgrade", path])
          #expect(worker.lines == ["upgraded"] && worker.exitCode == 0)
          return try await opened(path).read { try $0.lists(.all).count }
        }
        group.addTask { try await opened(path).read { try $0.lists(.all).count } }
      }
      for try await count in group { #expect(count == 3) }
    }
    #expect(try await UpgradeSource.Answers(of: service(on: opened(path))) == before)
  }

  @Test func upgradeWaitsForAWriterAndFailsAsBusyAfterTheTimeout() async throws {
    let (path, _) = try await make()
    defer { remove(path) }
    let other = try await writing(to: path)
    #expect(throws: StoreError.busy) { try opened(path, busyTimeoutSeconds: 0.05) }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    _ = try opened(path, busyTimeoutSeconds: 0.05)
    #expect(try await schema(of: path) == 2)
  }

  /// The migration cannot make its table.
  @Test func failedUpgradeLeavesTheOldSchema() async throws {
    let (path, before) = try await make()
    defer { remove(path) }
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE authors (a)") }
    #expect(throws: StoreError.self) { try opened(path) }
    #expect(try await schema(of: path) == 1)
    let service = service(on: try SQLiteStore(readingFrom: path))
    #expect(try await UpgradeSource.Answers(of: service) == before)
  }

  @Test func storeOfANewerSchemaIsRefusedAndStaysUnchanged() async throws {
    let (path, _) = try await make()
    defer { remove(path) }
    _ = try opened(path)
    let (bytes, names) = (try Data(contentsOf: URL(fileURLWithPath: path)), try names(beside: path))
    let expected = StoreError.newer(store: path, schema: 2, known: SQLiteStore.schemaVersion)
    #expect(throws: expected) { try SQLiteStore(readingFrom: path) }
    for absence in [SQLiteStore.Absence.create, .fail] {
      #expect(throws: expected) { try SQLiteStore(path: path, ifAbsent: absence) }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try self.names(beside: path) == names)
  }
}
