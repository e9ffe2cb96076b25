import Foundation
import GRDB
import ListModel
import ListStore
import SQLiteStore
import TestSupport
import Testing

@Suite struct OpeningTests {
  @Test func missingStoreIsCreatedOnlyOnRequest() throws {
    let folder = try StoreFolder()
    #expect(throws: StoreError.notFound(store: folder.path)) { try folder.open(.fail) }
    #expect(try folder.bytes() == [:])
    _ = try folder.open(.create)
    _ = try folder.open(.fail)
  }

  @Test func commitsAreSyncedToDiskAndReadersDoNotWait() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let settings = try store.settings()
    #expect(settings["journal_mode"] == "wal")
    // 2 is FULL: SQLite syncs the write-ahead log at each commit.
    #expect(settings["synchronous"] == "2")
  }

  /// As when several processes create one store: it is complete before it has its write-ahead log.
  @Test func storeWithoutAWriteAheadLogOpensAfterItsWriterHasFinished() async throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    try folder.sqlOfAnotherProgram("PRAGMA journal_mode = DELETE")
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder.path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    #expect(throws: StoreError.busy) {
      try SQLiteStore(path: folder.path, ifAbsent: .fail, busyTimeoutSeconds: 0.1)
    }
    // The commit has a thread, since a task may have to wait for one longer than the opening waits.
    let store = try await onThread {
      Thread {
        Thread.sleep(forTimeInterval: 0.2)
        try? other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
      }.start()
      return try folder.open(.fail)
    }
    #expect(try store.settings()["journal_mode"] == "wal")
  }

  @Test(arguments: [
    ("CREATE TRIGGER t BEFORE INSERT ON versions BEGIN SELECT raise(IGNORE); END", "trigger t"),
    ("ALTER TABLE names RENAME TO n; CREATE VIEW Names AS SELECT * FROM n", "view Names"),
  ])
  func fileThatChangesWhatAStatementDoesIsRefused(sql: String, name: String) throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    try folder.sqlOfAnotherProgram("CREATE TABLE own (x); CREATE VIEW mine AS SELECT x FROM own")
    _ = try folder.open()
    try folder.sqlOfAnotherProgram(sql)
    let error = StoreError.corrupt(
      reason: "the file has the \(name), which can change what is stored or read; drop it")
    #expect(throws: error) { try folder.open() }
    #expect(throws: error) { try SQLiteStore(readingFrom: folder.path) }
  }

  @Test func databaseHasTheApplicationIDAndTheSchemaVersion() throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    #expect(try folder.rows("PRAGMA application_id") == [["\(0x4C53_5432)"]])
    #expect(try folder.rows("PRAGMA user_version") == [["\(SQLiteStore.schemaVersion)"]])
  }

  @Test(arguments: [
    "not a database at all, but long enough to have a header of 100 bytes. "
      + String(repeating: "x", count: 100), "short",
  ])
  func fileThatIsNotADatabaseIsNotModified(text: String) throws {
    let folder = try StoreFolder()
    try text.write(toFile: folder.path, atomically: false, encoding: .utf8)
    let before = try folder.bytes()
    for absence in [SQLiteStore.Absence.create, .fail] {
      #expect(throws: StoreError.notADatabase(store: folder.path)) { try folder.open(absence) }
    }
    #expect(try folder.bytes() == before)
  }

  @Test(arguments: [
    "CREATE TABLE notes (text)", "PRAGMA user_version = 3; CREATE TABLE x (y); DROP TABLE x",
    "PRAGMA application_id = 7; CREATE TABLE x (y)",
  ])
  func databaseOfAnotherProgramIsNotModified(sql: String) throws {
    let folder = try StoreFolder()
    try folder.sqlOfAnotherProgram(sql)
    let before = try folder.bytes()
    for absence in [SQLiteStore.Absence.create, .fail] {
      #expect(throws: StoreError.foreign(store: folder.path)) { try folder.open(absence) }
    }
    #expect(try folder.bytes() == before)
  }

  /// A restored dump has neither the application's number nor the schema's.
  @Test func storeRestoredFromADumpIsAccepted() async throws {
    let folder = try StoreFolder()
    try await folder.open().append(["a", "b"])
    try folder.sqlOfAnotherProgram(
      "PRAGMA application_id = 0; PRAGMA user_version = 0; CREATE TABLE _litestream_seq (id)")
    let reading = try SQLiteStore(readingFrom: folder.path)
    #expect(try await reading.read { try $0.strayRowFaults() } == [])
    #expect(try await reading.read { try $0.tokens() } == [])
    #expect(try folder.rows("PRAGMA application_id") == [["0"]])
    try await folder.open(.fail).append(["b"])
    #expect(try folder.rows("PRAGMA application_id") == [["\(0x4C53_5432)"]])
    #expect(try folder.rows("PRAGMA user_version") == [["\(SQLiteStore.schemaVersion)"]])
  }

  @Test func databaseWithAnIncompleteSchemaIsRefusedAsForeign() throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    try folder.sqlOfAnotherProgram(
      "PRAGMA application_id = 0; PRAGMA user_version = 0; DROP INDEX versions_by_first_change")
    #expect(throws: StoreError.foreign(store: folder.path)) { try folder.open(.create) }
  }

  @Test func storeOfANewerSchemaIsNotModified() throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    try folder.sqlOfAnotherProgram("PRAGMA user_version = 999")
    let before = try folder.rows("SELECT * FROM sqlite_master")
    let error = #expect(throws: StoreError.self) { try folder.open(.create) }
    guard case .newer(_, _, known: SQLiteStore.schemaVersion) = error else {
      Issue.record("expected .newer, got \(String(describing: error))")
      return
    }
    #expect(try folder.rows("SELECT * FROM sqlite_master") == before)
  }

  /// Development versions before the first release had another number, and schemas up to 8.
  @Test(arguments: 1...8)
  func storeOfADevelopmentVersionIsRefusedByNameAndNotModified(schema: Int) throws {
    let folder = try StoreFolder()
    try folder.sqlOfAnotherProgram(
      """
      CREATE TABLE lists (list_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
      INSERT INTO lists VALUES (1, 'parks');
      PRAGMA application_id = \(0x4C53_594E); PRAGMA user_version = \(schema);
      """)
    let before = try folder.bytes()
    let expected = StoreError.unreleased(store: folder.path)
    #expect("\(expected)".contains("development version"))
    for absence in [SQLiteStore.Absence.create, .fail] {
      #expect(throws: expected) { try folder.open(absence) }
    }
    #expect(throws: expected) { try SQLiteStore(readingFrom: folder.path) }
    #expect(try folder.bytes() == before)
  }

  /// A flipped bit; the number is set together with the tables.
  @Test(arguments: ["0", "-2147483647"])
  func storeWithoutANumberOfItsSchemaIsDamaged(number: String) throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    try folder.sqlOfAnotherProgram("PRAGMA user_version = \(number)")
    let damage = StoreError.corrupt(reason: "the file has no schema \(number)")
    #expect(throws: damage) { try folder.open(.create) }
    #expect(throws: damage) { try SQLiteStore(readingFrom: folder.path) }
  }

  @Test func storeIsCreatedFromTheFileOfAKilledCreation() throws {
    for sql in ["VACUUM", "CREATE TABLE x (y); DROP TABLE x"] {
      let folder = try StoreFolder()
      try folder.sqlOfAnotherProgram(sql)
      #expect(throws: StoreError.notFound(store: folder.path)) { try folder.open(.fail) }
      _ = try folder.open(.create)
      #expect(try folder.rows("SELECT count(*) FROM lists") == [["0"]])
    }
  }

  /// A process killed while it creates the store may leave a rollback journal, since the
  /// write-ahead log comes later.
  @Test func interruptedTransactionIsRolledBack() throws {
    let folder = try StoreFolder()
    try folder.sqlOfAnotherProgram("CREATE TABLE x (y); DROP TABLE x")
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try StoreFolder()
    let queue = try DatabaseQueue(path: folder.path, configuration: configuration)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA cache_size = 1; PRAGMA cache_spill = 1;
          BEGIN IMMEDIATE; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(1000000))
          """)
      // A killed process leaves the files of this moment.
      for ending in ["", "-journal"] {
        try FileManager.default.copyItem(
          atPath: folder.path + ending, toPath: other.path + ending)
      }
      try db.execute(sql: "ROLLBACK")
    }
    #expect(throws: StoreError.notFound(store: other.path)) { try other.open(.fail) }
    _ = try other.open(.create)
    #expect(try other.rows("SELECT count(*) FROM lists") == [["0"]])
  }

  @Test func errorNamesThePathThatCannotHoldAStore() throws {
    for path in ["/nowhere/at/all.db", FileManager.default.temporaryDirectory.path] {
      let error = #expect(throws: StoreError.self) {
        try SQLiteStore(path: path, ifAbsent: .create)
      }
      guard case .cannotOpen(path, _) = error else {
        Issue.record("expected .cannotOpen, got \(String(describing: error))")
        continue
      }
    }
  }

  @Test func readersContinueBesideAWriterAndOtherWritersAreBusy() async throws {
    let folder = try StoreFolder()
    let first = try folder.open()
    defer { withExtendedLifetime(first) {} }
    try await first.append(["a"])
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(
      path: folder.path, configuration: configuration)
    try await other.writeWithoutTransaction { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    let store = try SQLiteStore(path: folder.path, ifAbsent: .fail, busyTimeoutSeconds: 0.05)
    #expect(try await store.read { try $0.lists().count } == 1)
    await #expect(throws: StoreError.busy) { try await store.append(["b"]) }
    try await other.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    try await store.append(["b"])
  }

  @Test func manyConnectionsMayCreateTheSameStoreAtOnce() async throws {
    let folder = try StoreFolder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask {
          let store = try folder.open(.create)
          try await store.append(["a"], to: "list\(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.rows("SELECT count(*) FROM lists") == [["6"]])
  }
}
