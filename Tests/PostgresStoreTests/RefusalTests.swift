import Foundation
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import PostgresStore

/// An unusable address, server or schema is refused with the reason and a remedy, without the
/// password.
@Suite(.needsPostgreSQL) struct RefusalTests {
  private func refusal(_ address: String, schema: String = "listsync") throws -> StoreError {
    try #require(throws: StoreError.self) {
      _ = try PostgresStore(address: address, schema: schema, createsMissing: false)
    }
  }

  private func expect(
    _ error: StoreError, reason words: String, remedy advice: String,
    location: SourceLocation = #_sourceLocation
  ) {
    guard case .unreachable(let store, let reason, let remedy) = error else {
      Issue.record("\(error)", sourceLocation: location)
      return
    }
    #expect(reason.contains(words), sourceLocation: location)
    #expect(remedy.contains(advice), sourceLocation: location)
    #expect(!"\(store) \(reason) \(remedy)".contains("secret"), sourceLocation: location)
  }

  @Test(arguments: [
    ("postgresql://u:sec/secret@host/db", "%2F"), ("postgresql://u:s@secret@host/db", "%40"),
    ("postgresql://u:secret/db", "a port is a number"),
    ("postgresql://host:80secret/db", "a port is a number"),
  ])
  func addressThatIsNotWrittenAsItMustBeIsNotTried(address: String, reason: String) throws {
    expect(try refusal(address), reason: reason, remedy: "postgresql://USER@HOST:PORT/DATABASE")
  }

  @Test(arguments: [
    "postgresql://u:secret@h/db", "postgresql://u:sec@ret:secret@h/db", "postgres://u:secret@h",
    "postgresql://u@h/db?password=secret&x=1", "host=h password=secret dbname=db",
    "host=h password='a secret' dbname=db", "postgresql://u:se/cret@h/secret@x",
  ])
  func nameOfAStoreHasNoPassword(address: String) {
    let name = PostgresStore.withoutPassword(address)
    #expect(!name.contains("secret") && name != address)
    #expect(PostgresStore.hasPassword(address) == PostgresStore.isAddress(address))
  }

  @Test func unknownParameterAndAbsentServerAreNamed() throws {
    expect(try refusal("postgresql://u:secret@h/db?hots=x"), reason: "hots", remedy: "address")
    expect(
      try refusal("postgresql://u:secret@/db?host=/nowhere"), reason: "/nowhere", remedy: "address")
    expect(
      try refusal(PostgresServer.shared.get().address(database: "absent")), reason: "absent",
      remedy: "address")
  }

  @Test func wrongOrMissingPasswordIsSaid() throws {
    let server = try PostgresServer.shared.get()
    try server.sql(
      """
      DO $$ BEGIN CREATE ROLE locked LOGIN PASSWORD 'right';
      EXCEPTION WHEN duplicate_object THEN NULL; END $$
      """)
    let address = server.address(user: "locked")
    expect(try refusal(address), reason: "no password", remedy: "PGPASSWORD")
    let wrong = address.replacing("locked@", with: "locked:secret@")
    expect(try refusal(wrong), reason: "password authentication failed", remedy: "~/.pgpass")
    let right = address.replacing("locked@", with: "locked:right@")
    expectAbsent(try refusal(right, schema: "absent"), "\(address) (schema absent)")
  }

  /// Expects an error that names the store, and the database's other schemas with stores.
  private func expectAbsent(
    _ error: StoreError, _ name: String, location: SourceLocation = #_sourceLocation
  ) {
    guard case .notFound(name, _) = error else {
      Issue.record("\(error)", sourceLocation: location)
      return
    }
  }

  // The meaning of a backslash in a literal depends on a setting of the database.
  @Test func settingOfAnOldDatabaseAndMarksInASchemasNameChangeNothing() async throws {
    let server = try PostgresServer.shared.get()
    let database = PostgresServer.name("old")
    try server.sql("CREATE DATABASE \"\(database)\"")
    try server.sql("ALTER DATABASE \"\(database)\" SET standard_conforming_strings = off")
    let store = try PostgresStore(
      address: server.address(database: database), schema: #"o'brien\x00"#, createsMissing: true)
    let service = SyncService(store: store) { TestStore.noon }
    var request = CommitRequest(list: .parks, snapshot: try Snapshot.of("a"))
    request.author = "x\0"
    _ = try await service.commit(request)
    #expect(try await service.size().versionCount == 1)
    let log = #"SELECT version, encode(author, 'hex') FROM "o'brien\x00".versions"#
    let shown = try server.sql(log, database: database)
    #expect(shown == ["1|7800"])
  }

  @Test func storeInAnotherSchemaOfTheDatabaseIsNamed() throws {
    let server = try PostgresServer.shared.get()
    let database = PostgresServer.name("schemas")
    try server.sql("CREATE DATABASE \"\(database)\"")
    let address = server.address(database: database)
    #expect(try refusal(address) == .notFound(store: address))
    for schema in ["restored", "copy"] {
      _ = try PostgresStore(address: address, schema: schema, createsMissing: true)
    }
    #expect(try refusal(address) == .notFound(store: address, schemas: ["copy", "restored"]))
  }

  @Test func absentForeignAndNewerSchemasAreTold() throws {
    let server = try PostgresServer.shared.get()
    let (schema, address) = (PostgresServer.name("foreign"), server.address())
    let name = "\(address) (schema \(schema))"
    expectAbsent(try refusal(address, schema: schema), name)
    try server.sql("CREATE SCHEMA \"\(schema)\"; CREATE TABLE \"\(schema)\".parks (id int)")
    for isCreated in [false, true] {
      #expect(throws: StoreError.foreign(store: name)) {
        _ = try PostgresStore(address: address, schema: schema, createsMissing: isCreated)
      }
    }
    let test = try PostgresTest("newer")
    try server.sql("UPDATE \"\(test.schema)\".store SET schema = 99")
    let newer = StoreError.newer(
      store: "\(address) (schema \(test.schema))", schema: 99, known: 1)
    #expect(try refusal(address, schema: test.schema) == newer)
  }

  @Test func storeOfADevelopmentVersionIsRefusedByName() throws {
    let test = try PostgresTest("unreleased")
    try test.server.sql(
      "UPDATE \"\(test.schema)\".store SET application = 'ListSync', schema = 3")
    let address = test.server.address()
    for isCreated in [false, true] {
      #expect(
        throws: StoreError.unreleased(store: "\(address) (schema \(test.schema))")
      ) {
        _ = try PostgresStore(address: address, schema: test.schema, createsMissing: isCreated)
      }
    }
    #expect(
      try test.server.sql("SELECT application, schema FROM \"\(test.schema)\".store")
        == ["ListSync|3"])
  }

  /// The server would cut the name, and the store would not be found again.
  @Test func nameOfASchemaThatTheServerWouldCutIsRefused() throws {
    let address = try PostgresServer.shared.get().address()
    for name in [String(repeating: "x", count: 64), String(repeating: "é", count: 32)] {
      #expect(
        throws: StoreError.cannotOpen(
          store: address, reason: "the name of a schema has at most 63 bytes; this one has 64")
      ) {
        _ = try PostgresStore(address: address, schema: name, createsMissing: true)
      }
    }
    let name = PostgresServer.name("x")
    let longest = name + String(repeating: "y", count: 63 - name.utf8.count)
    for isCreated in [true, false] {
      _ = try PostgresStore(address: address, schema: longest, createsMissing: isCreated)
    }
  }

  @Test func statementThatTookTooLongIsNotCalledAnotherWriter() async throws {
    let test = try PostgresTest("slow")
    try await test.commit("a")
    let service = try test.other("&options=-c%20statement_timeout%3D200")
    let refusal = DispatchSemaphore(value: 0)
    let writing = Task {
      try await test.store.write { writer in
        _ = try writer.lockedList(.parks)
        refusal.wait()
      }
    }
    // Else a failed expectation would leave a writer that never ends.
    defer { refusal.signal() }
    try await eventually("the list is locked") {
      try test.server.sql(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND query LIKE '%\(test.schema)%'
        """) == ["1"]
    }
    do {
      _ = try await service.commit(CommitRequest(list: .parks, snapshot: .of("b")))
      Issue.record("the server ended the statement")
    } catch StoreError.database(let reason) {
      #expect(reason.contains("57014") && reason.contains("statement_timeout"))
    }
    refusal.signal()
    try await writing.value
  }

  /// The server ends sessions that do nothing for a while: another one is opened. The while is so
  /// long that a busy machine does not end a session between two statements.
  @Test func idleSessionThatTheServerEndedIsOpenedAgain() async throws {
    let test = try PostgresTest("idle")
    try await test.commit("a")
    let service = try test.other("&options=-c%20idle_session_timeout%3D3000")
    for number in 1...2 {
      var request = CommitRequest(list: .parks, snapshot: try .of("a=\(number)"))
      request.expected = [.version(Version(number))]
      #expect(try await service.commit(request).state.cursor?.version == Version(number + 1))
      try await Task.sleep(for: .seconds(6))
      #expect(
        try await service.state(of: ListRevision(.parks)).cursor?.version == Version(number + 1))
    }
  }

  @Test func messageOfALostConnectionHasNoSeverity() async throws {
    let test = try PostgresTest("lost")
    try await test.commit("a")
    let store = try PostgresStore(
      address: test.server.address("&options=-c%20idle_in_transaction_session_timeout%3D100"),
      schema: test.schema, createsMissing: false)
    do {
      try await store.write { writer in
        _ = try writer.lockedList(.parks)
        Thread.sleep(forTimeInterval: 1)
        if let list = try writer.lockedList(.parks) { try writer.setIDRule("[]", of: list.key) }
      }
      Issue.record("the server ended the session")
    } catch StoreError.unreachable(_, let reason, _) {
      #expect(!reason.contains("FATAL") && reason.contains("terminating connection"), "\(reason)")
    }
  }

  @Test func serverOfAnOlderVersionIsRefused() {
    let schema = PostgresSchema(name: "listsync", store: "postgresql://h/db")
    #expect(throws: Never.self) { try schema.check(serverVersion: 130_000) }
    #expect(
      throws: StoreError.unreachable(
        store: "postgresql://h/db", reason: "the server is PostgreSQL 12",
        remedy: "Use PostgreSQL 13 or newer.")
    ) {
      try schema.check(serverVersion: 120_022)
    }
  }

  @Test func nodeThatIsReadOnlyAnswersAndRefusesWrites() async throws {
    let test = try PostgresTest("read-only")
    try await test.commit("a")
    let service = try test.other("&options=-c%20default_transaction_read_only%3Don")
    #expect(try await service.state(of: ListRevision(.parks)).cursor?.version == Version(1))
    await #expect(throws: StoreError.self) {
      _ = try await service.commit(CommitRequest(list: .parks, snapshot: .of("b")))
    }
    do {
      _ = try await service.tag(TagName("spring")!, of: .parks)
      Issue.record("the node is read-only")
    } catch StoreError.readOnly(let reason) {
      #expect(reason.contains("25006"))
    }
  }
}
