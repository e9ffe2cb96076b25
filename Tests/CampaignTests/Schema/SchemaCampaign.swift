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

/// This program opens stores of every released schema, written by the programs of their time.
@Suite struct SchemaCampaign {
  private func service(on store: SQLiteStore) -> SyncService {
    SyncService(store: store) { TestStore.noon }
  }

  private func make(_ schema: Int, isBackup: Bool = false) throws -> String {
    let path = try TemporaryFolder.make().appendingPathComponent("old.db").path
    try StoreFixture.make(schema: schema, at: path, isBackup: isBackup)
    return path
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

  @Test(arguments: StoreFixture.schemas, [false, true])
  func storeOfAnyReleasedSchemaIsUpgradedAndAnswersAsBefore(schema: Int, isBackup: Bool)
    async throws
  {
    let recorded = try StoreFixture.recorded(schema: schema)
    for isReading in [true, false] {
      let path = try make(schema, isBackup: isBackup)
      defer { remove(path) }
      do {
        let store =
          try isReading
          ? SQLiteStore(readingFrom: path) : SQLiteStore(path: path, ifAbsent: .fail)
        let service = service(on: store)
        #expect(try await RecordedAnswers.differences(of: service, from: recorded) == [])
        #expect(try await LogInvariants.faults(of: store) == [])
      }
      if isReading, isBackup { #expect(try names(beside: path) == ["old.db"]) }
      if !isReading || schema < Schema.firstReadAsItIs { try await expectNewest(path) }
      try await goOn(path)
      try await expectNewest(path)
    }
  }

  private func expectNewest(_ path: String) async throws {
    let (schema, migratorTables) = try await DatabaseQueue(path: path).read { db in
      (try Int.fetchOne(db, sql: "PRAGMA user_version"), try db.tableExists("grdb_migrations"))
    }
    #expect(schema == SQLiteStore.schemaVersion && !migratorTables)
  }

  /// Commits to both lists, and examines both again.
  private func goOn(_ path: String) async throws {
    let store = try SQLiteStore(path: path, ifAbsent: .fail)
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

  @Test(arguments: Schema.firstReadAsItIs..<Migrations.all.count, [false, true])
  func readableOlderStoreIsReadInFullWithoutBeingWritten(schema: Int, isBackup: Bool) async throws {
    let recorded = try StoreFixture.recorded(schema: schema)
    let path = try make(schema, isBackup: isBackup)
    defer { remove(path) }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The file is locked for writing meanwhile: a caller that wants to write would wait, and then
    // fail.
    let other = try await writing(to: path)
    let store = try SQLiteStore(readingFrom: path, busyTimeoutSeconds: 0)
    let service = service(on: store)
    #expect(try await RecordedAnswers.differences(of: service, from: recorded) == [])
    #expect(try await service.size().listCount == recorded.lists.count)
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    // After an upgrade, the store's tokens count.
    let writer = self.service(on: try SQLiteStore(path: path, ifAbsent: .fail))
    _ = try await writer.makeToken(
      named: TokenName("newest")!, grants: [AccessGrant(.read, .all)])
    #expect(try await service.tokens() == writer.tokens())
    #expect(try await service.tokens().contains { $0.name.text == "newest" })
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

  @Test(arguments: StoreFixture.schemas)
  func manyProcessesMayUpgradeTheSameStoreAtOnce(schema: Int) async throws {
    let path = try make(schema)
    defer { remove(path) }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<4 {
        group.addTask {
          let store =
            try number % 2 == 0
            ? SQLiteStore(readingFrom: path) : SQLiteStore(path: path, ifAbsent: .fail)
          return try await store.read { try $0.lists().count }
        }
      }
      for try await count in group { #expect(count == 2) }
    }
    let service = service(on: try SQLiteStore(readingFrom: path))
    let recorded = try StoreFixture.recorded(schema: schema)
    #expect(try await RecordedAnswers.differences(of: service, from: recorded) == [])
  }

  @Test func upgradeWaitsForAWriterAndFailsAsBusyAfterTheTimeout() async throws {
    let path = try make(2)
    defer { remove(path) }
    let other = try await writing(to: path)
    #expect(throws: StoreError.busy) {
      try SQLiteStore(path: path, ifAbsent: .fail, busyTimeoutSeconds: 0.05)
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    _ = try SQLiteStore(path: path, ifAbsent: .fail, busyTimeoutSeconds: 0.05)
    try await expectNewest(path)
  }

  @Test func storeOfANewerSchemaIsRefusedAndStaysUnchanged() async throws {
    let path = try make(Migrations.all.count)
    defer { remove(path) }
    try await DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA user_version = 99")
    }
    let (bytes, names) = (try Data(contentsOf: URL(fileURLWithPath: path)), try names(beside: path))
    let expected = StoreError.newer(store: path, schema: 99, known: SQLiteStore.schemaVersion)
    #expect(throws: expected) { try SQLiteStore(readingFrom: path) }
    for absence in [SQLiteStore.Absence.create, .fail] {
      #expect(throws: expected) { try SQLiteStore(path: path, ifAbsent: absence) }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try self.names(beside: path) == names)
  }
}
