import Foundation
import ListModel
import ListStore
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// The same history has the same cursors in every engine, and moves between them.
@Suite(.needsPostgreSQL) struct TransferTests {
  @Test func copiesInBothDirectionsGiveTheSameAnswers() async throws {
    var random = SeededRandom.forThisRun()
    let original = try TestStore()
    try await PostgresTest.fill(original.service, &random)
    let answers = try await StoreAnswers(of: original.service)
    let (there, back) = (try PostgresTest("copy"), try TestStore())
    for list in [ListName.parks, .films] {
      let outcome = try await there.service.copy(list, from: original.service)
      #expect(outcome.addedCount > 0)
      #expect(try await there.service.copy(list, from: original.service).addedCount == 0)
      _ = try await back.service.copy(list, from: there.service)
    }
    #expect(try await StoreAnswers(of: there.service) == answers)
    #expect(try await StoreAnswers(of: back.service) == answers)
    #expect(try await there.service.verify(depth: .everything).faults.isEmpty)
  }

  @Test func sameCommitsHaveTheSameCursors() async throws {
    let (file, database) = (try TestStore(), try PostgresTest("same"))
    var random = SeededRandom.forThisRun()
    var again = random
    try await PostgresTest.fill(file.service, &random)
    try await PostgresTest.fill(database.service, &again)
    #expect(
      try await StoreAnswers(of: file.service) == StoreAnswers(of: database.service))
  }

  @Test func restoredDumpHasTheSameAnswers() async throws {
    let test = try PostgresTest("dump")
    var random = SeededRandom.forThisRun()
    try await PostgresTest.fill(test.service, &random)
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, server) = (folder.appendingPathComponent("lists.dump").path, test.server)
    let place = ["-h", server.folder, "-U", "store"]
    try PostgresServer.run(
      ["pg_dump"] + place + ["-d", "postgres", "-Fc", "--schema", "\"\(test.schema)\"", "-f", file])
    let database = "restored\(UInt32.random(in: 0 ... .max))"
    try server.sql("CREATE DATABASE \(database)")
    try PostgresServer.run(["pg_restore"] + place + ["-d", database, file])
    let restored = SyncService(
      store: try PostgresStore(
        address: server.address(database: database), schema: test.schema, createsMissing: false)
    ) { TestStore.noon }
    #expect(try await StoreAnswers(of: restored) == StoreAnswers(of: test.service))
    #expect(try await restored.verify(depth: .everything).faults.isEmpty)
  }

  @Test func databaseOfAnotherEncodingGivesTheSameAnswers() async throws {
    let server = try PostgresServer.shared.get()
    let database = "latin\(UInt32.random(in: 0 ... .max))"
    try server.sql("CREATE DATABASE \(database) ENCODING 'LATIN1' TEMPLATE template0")
    let (file, other) = (try TestStore(), try PostgresTest("latin", database: database))
    var random = SeededRandom.forThisRun()
    try await PostgresTest.fill(file.service, &random)
    for list in [ListName.parks, .films] {
      _ = try await other.service.copy(list, from: file.service)
    }
    #expect(try await StoreAnswers(of: other.service) == StoreAnswers(of: file.service))
  }
}
