import ListChanges
import ListModel
import SQLiteStore
import Testing

@testable import ListStore

/// Rows that ListSync did not write are reported as corrupt, never used as data.
@Suite struct BrokenRowTests {
  @Test(arguments: [
    "DELETE FROM segments", "UPDATE segments SET segment_id = segment_id + 1",
    "UPDATE segments SET end_change = end_change + 1",
    "UPDATE segments SET end_change = segment_id & 4294967295",
    "UPDATE segments SET unfolded = 1", "UPDATE segments SET data = x'01'",
    "UPDATE lists SET next_change = next_change + 1",
    "UPDATE versions SET updated = 0, inserted = 1 WHERE version = 2",
    "UPDATE versions SET first_change = 2 WHERE version = 2",
    "UPDATE versions SET first_change = 9 WHERE version = 2",
    "DELETE FROM versions WHERE version = 1", "DELETE FROM versions WHERE version = 2",
  ])
  func brokenStepIsReportedAsCorrupt(sql: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a", "b"])
    try await store.append(["a", "b=1"])
    try folder.sql(sql)
    let error = await #expect(throws: StoreError.self) {
      try await store.read { reader in
        let list = try #require(try reader.list(ListName("parks")!))
        _ = try reader.steps(Version(2)...Version(2), of: list.key)
      }
    }
    guard case .corrupt = error else {
      Issue.record("expected .corrupt, got \(String(describing: error))")
      return
    }
  }

  @Test func missingNewestVersionIsNotVersionZero() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try await store.append(["a", "b"])
    try folder.sql("DELETE FROM versions WHERE version = 2")
    await #expect(throws: StoreError.corrupt(reason: "version 2 of parks is missing")) {
      try await store.read { try $0.heads(of: $0.lists(.names(NameRange()))) }
    }
  }

  /// So many items that their segment has blocks in other rows.
  @Test(arguments: [
    "DELETE FROM blocks", "DELETE FROM blocks WHERE block = (SELECT min(block) FROM blocks)",
    "UPDATE blocks SET byte_count = 1", "UPDATE blocks SET data = x'01'",
  ])
  func textsOfAMissingBlockAreReportedAsCorrupt(sql: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append((0..<8000).map { "item-\($0)" })
    #expect(try folder.rows("SELECT count(*) > 2 FROM blocks") == [["1"]])
    try folder.sql(sql)
    await #expect(throws: StoreError.self) {
      try await store.read { reader in
        let list = try #require(try reader.list(ListName("parks")!))
        let items = try reader.steps(Version(1)...Version(1), of: list.key)[0].changes.inserted
        _ = try reader.ids(of: items.map(\.element.id))
        _ = try reader.contents(of: items.map(\.element))
      }
    }
  }

  /// A flipped bit can turn a text into a number, which no column of these tables forbids.
  @Test func valuesOfAnotherTypeAreFoundAndNotDecoded() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    // Strict columns accept no other types, so the schema is altered first.
    try folder.sqlOfAnotherProgram(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(replace(sql, 'TEXT', 'ANY'), 'INTEGER', 'ANY')
      WHERE name = 'tags'
      """)
    try folder.sqlOfAnotherProgram("INSERT INTO tags VALUES (1, 7, 'x', 'y', 0)")
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      #expect(try reader.rowFaults(of: list).map(\.reason) == [LogTable.tags.isDamaged])
      #expect(throws: LogTable.tags.damage) { try reader.tags(of: list.key) }
    }
  }

  /// A flipped bit can change the name of a column.
  @Test func missingColumnIsReportedAsDamage() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try folder.sqlOfAnotherProgram("ALTER TABLE segments RENAME COLUMN digest TO digesu")
    await #expect(throws: StoreError.corrupt(reason: "no such column: digest (SQLite code 1)")) {
      try await store.read { reader in
        let list = try #require(try reader.list(ListName("parks")!))
        _ = try reader.steps(Version(1)...Version(1), of: list.key)
      }
    }
  }

  @Test func undamagedFileHasNoIntegrityFaults() async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try folder.open()
    try await store.append(["a"])
    #expect(try await store.read { try $0.integrityFaults() } == [])
  }
}
