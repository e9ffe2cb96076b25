import ListModel
import ListStore
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// A store of schema 1, opened by a later version with a schema that only the tests have.
@Suite(.needsPostgreSQL) struct UpgradeTests {
  private func upgraded(_ test: PostgresTest) throws -> PostgresStore {
    try PostgresStore(
      address: test.server.address(), schema: test.schema, createsMissing: false,
      migrations: LaterSchema.postgreSQL)
  }

  private func filled(_ purpose: String) async throws -> (PostgresTest, StoreAnswers) {
    let test = try PostgresTest(purpose)
    var random = SeededRandom(seed: 1)
    try await PostgresTest.fill(test.service, &random)
    return (test, try await StoreAnswers(of: test.service))
  }

  private func expectWhole(_ test: PostgresTest, _ before: StoreAnswers) async throws {
    let service = SyncService(store: try upgraded(test)) { TestStore.noon }
    #expect(try await service.verify(depth: .everything).faults == [])
    #expect(try await StoreAnswers(of: service) == before)
    #expect(try test.server.sql("SELECT * FROM \"\(test.schema)\".store") == ["ListSync 2|2"])
  }

  @Test func upgradedStoreAnswersAsBeforeAndOlderVersionsRefuseIt() async throws {
    let (test, before) = try await filled("upgrade")
    try await expectWhole(test, before)
    let service = SyncService(store: try upgraded(test)) { TestStore.noon }
    _ = try await service.commit(CommitRequest(list: .parks, snapshot: .of("b")))
    #expect(try await service.snapshot(of: .parks).snapshot == .of("b"))
    let address = test.server.address()
    let name = "\(address) (schema \(test.schema))"
    #expect(throws: StoreError.newer(store: name, schema: 2, known: 1)) {
      try PostgresStore(address: address, schema: test.schema, createsMissing: false)
    }
  }

  @Test func manyProcessesMayUpgradeTheSameStoreAtOnce() async throws {
    let (test, before) = try await filled("upgrades")
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<6 {
        group.addTask { try await upgraded(test).read { try $0.lists(.all).count } }
      }
      for try await count in group { #expect(count == 2) }
    }
    try await expectWhole(test, before)
  }

  @Test func failedUpgradeLeavesTheOldSchema() async throws {
    let (test, before) = try await filled("failed upgrade")
    // The migration cannot make its table.
    try test.server.sql("CREATE TABLE \"\(test.schema)\".authors (a int)")
    #expect(throws: StoreError.self) { try upgraded(test) }
    #expect(try test.server.sql("SELECT * FROM \"\(test.schema)\".store") == ["ListSync 2|1"])
    #expect(try await StoreAnswers(of: test.other()) == before)
    try test.server.sql("DROP TABLE \"\(test.schema)\".authors")
    try await expectWhole(test, before)
  }
}
