import Foundation
import GRDB
import ListStore
import SQLiteStore
import Testing

@Suite struct VacuumTests {
  private func storeWithRoom(_ folder: StoreFolder) async throws -> SQLiteStore {
    let store = try folder.open()
    try await store.append((0..<20_000).map { "item-\($0)" })
    try await store.append([])
    try folder.sql("DELETE FROM segments; DELETE FROM blocks; DELETE FROM id_parts")
    return store
  }

  private func byteCount(_ folder: StoreFolder) throws -> Int {
    try #require(try folder.bytes()["test.db"]).count
  }

  @Test func vacuumShrinksTheFileToItsRemainingRows() async throws {
    let folder = try StoreFolder()
    let store = try await storeWithRoom(folder)
    let outcome = try await store.vacuum()
    let after = outcome.byteCountAfter
    #expect(after * 2 < outcome.byteCountBefore && !outcome.isHeldByReader)
    #expect(try byteCount(folder) == after)
    let again = try await store.vacuum()
    #expect(again.byteCountBefore == after && again.byteCountAfter == after)
  }

  @Test func vacuumKeepsTheSettingsOfTheStore() async throws {
    let folder = try StoreFolder()
    let store = try await storeWithRoom(folder)
    let pragmas = ["application_id", "user_version", "journal_mode", "page_size", "auto_vacuum"]
    func values() throws -> [[String?]] { try pragmas.flatMap { try folder.rows("PRAGMA \($0)") } }
    let before = try values()
    _ = try await store.vacuum()
    #expect(try values() == before)
    #expect(before[0] == ["1280529458"] && before[2] == ["wal"])
    #expect(try folder.open(.fail).settings() == ["journal_mode": "wal", "synchronous": "2"])
  }

  @Test func vacuumIsRefusedAsBusyDuringAWrite() async throws {
    let folder = try StoreFolder()
    _ = try await storeWithRoom(folder)
    let store = try SQLiteStore(path: folder.path, ifAbsent: .fail, busyTimeoutSeconds: 0.05)
    let other = try connection(folder)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    await #expect(throws: StoreError.busy) { _ = try await store.vacuum() }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    let outcome = try await store.vacuum()
    #expect(outcome.byteCountAfter < outcome.byteCountBefore)
  }

  @Test func readerKeepsItsStateDuringAVacuum() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append((0..<2000).map { "item-\($0)" })
    let short = try SQLiteStore(path: folder.path, ifAbsent: .fail, busyTimeoutSeconds: 0.05)
    let reader = try connection(folder)
    func count() async throws -> Int? {
      try await reader.writeWithoutTransaction {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM versions")
      }
    }
    try await reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN") }
    #expect(try await count() == 1)
    try await short.append([])
    // The figures are those of the files, which do not shrink yet.
    let outcome = try await short.vacuum()
    #expect(outcome.isHeldByReader)
    let byteCounts = try folder.bytes().filter { !$0.key.hasSuffix("-shm") }.map(\.value.count)
    #expect(outcome.byteCountAfter == byteCounts.reduce(0, +))
    #expect(try await count() == 1)
    try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    #expect(try await count() == 2)
  }

  /// A connection whose transactions last longer than a call.
  private func connection(_ folder: StoreFolder) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(
      path: folder.path, configuration: configuration)
  }
}
