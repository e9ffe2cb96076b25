import Foundation
import GRDB
import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// Every read finds rows whose values were altered.
@Suite struct RowDigestTests {
  @Test func tablesHaveTheColumnsOfTheirLayouts() throws {
    let folder = try StoreFolder()
    _ = try folder.open()
    for table in LogTable.allCases {
      let name = table.layout.name
      let columns = try folder.rows("SELECT name FROM pragma_table_xinfo('\(name)')")
      // A joined key is beside the columns that it is made of; nothing reads these of id_parts.
      let joined: Set = ["version_id", "segment_id", "part_id"]
      let parts: [LogTable: [String]] = [
        .segments: ["list_id", "first_change"], .idParts: ["list_id", "last_prefix"],
      ]
      let known = Set(columns.compactMap(\.[0])).subtracting(joined).union(parts[table] ?? [])
      #expect(known == Set(table.layout.columns.map(\.name)), "\(table)")
    }
    let tables = try folder.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    // Its rows are worth nothing after some minutes.
    let withoutDigests: Set = ["changed_lists"]
    #expect(
      Set(tables.compactMap(\.[0])).subtracting(withoutDigests)
        == Set(LogTable.allCases.map(\.layout.name)))
  }

  /// A store with a row in every table.
  private func filled() async throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = try folder.open()
    for texts in [["a", "b"], ["b", "a=1"], ["b"]] { try await store.append(texts) }
    try await store.write { writer in
      let record = try #require(try writer.lockedList(ListName("parks")!))
      let list = record.key
      let time = Timestamp(millisecondsSince1970: 5)
      try writer.setIDRule("[\"id\"]", of: list)
      try writer.setImportPosition("here", of: "source", in: list)
      try writer.setTitlePath(JSONPointer(tokens: ["name"]), of: list)
      try writer.setTag(
        TagRecord(name: TagName("spring")!, version: Version(2), taggedAt: time), of: list)
      try writer.addToken(
        TokenRecord(
          name: TokenName("reader")!,
          secretHash: SecretHash(bytes: Array(repeating: 7, count: 32))!, createdAt: time,
          grants: [AccessGrant(.read, .all)]))
      let former = try writer.createList(ListName("films")!)
      try writer.drop(
        former.key,
        RetiredList(
          name: former.name, version: .zero, chain: .zero, leftAt: time, author: nil, newName: nil))
      let head = try #require(try writer.headOrder(of: record))
      try writer.writeCheckpoint(head.items(), at: Version(3), of: list)
    }
    return folder
  }

  /// Makes every call that reads rows.
  private func readAll(_ store: SQLiteStore) async throws {
    try await store.read { reader in
      for list in try reader.lists() {
        let all = list.firstStep...list.head
        _ = try reader.versions(all, of: list.key)
        for step in try reader.steps(all, of: list.key) {
          _ = try reader.items(of: step.changes.inserted.map(\.element))
          _ = try reader.contents(of: step.changes.updated.map(\.new))
        }
        _ = try reader.headOrder(of: list)?.items()
        if let version = try reader.newestCheckpoint(of: list.key, notAfter: list.head) {
          _ = try reader.checkpoint(at: version, of: list.key)
        }
        _ = try reader.keys(of: ["a"], in: list.key)
        _ = try reader.tags(of: list.key)
        _ = try reader.titlePath(of: list.key)
        _ = try reader.importPosition(of: "source", in: list.key)
      }
      _ = try reader.tokens()
      _ = try reader.retiredLists()
    }
  }

  @Test(arguments: [
    "UPDATE lists SET head = head + 1", "UPDATE lists SET oldest = 2",
    "UPDATE lists SET id_rule = '[\"no\"]'", "UPDATE lists SET next_change = next_change + 1",
    "UPDATE versions SET message = 'other' WHERE version = 2",
    "UPDATE versions SET committed_at = committed_at + 1 WHERE version = 1",
    "UPDATE versions SET root = randomblob(32) WHERE version = 3",
    "UPDATE segments SET data = x'01'", "UPDATE segments SET segment_id = segment_id + 1",
    "UPDATE segments SET end_change = end_change + 1",
    "UPDATE segments SET unfolded = unfolded + 1", "UPDATE segments SET digest = digest + 1",
    "UPDATE segments SET data_digest = data_digest + 1",
    "UPDATE lists SET merge_count = merge_count + 1",
    "UPDATE tags SET version = 1", "UPDATE imports SET position = 'there'",
    "UPDATE tokens SET revoked_at = 7", "UPDATE tokens SET grants = 'write *'",
    "UPDATE former_lists SET name = 'rivers'", "UPDATE lists SET title_path = '/no'",
    "UPDATE lists SET max_removed = '9'", "UPDATE lists SET max_updated = '9'",
    "UPDATE names SET list_id = 7",
    "UPDATE head_parts SET rank = rank + 1", "UPDATE checkpoints SET version = 2",
    "UPDATE id_parts SET data = x'01'", "UPDATE id_parts SET part_id = part_id - 1",
  ])
  func readingAndVerifyingReportAModifiedValueAsDamage(sql: String) async throws {
    let folder = try await filled()
    try await readAll(try SQLiteStore(readingFrom: folder.path))
    try folder.sqlOfAnotherProgram(sql)
    let store = try SQLiteStore(readingFrom: folder.path)
    let error = await #expect(throws: StoreError.self) {
      try await self.readAll(store)
    }
    guard case .corrupt = error else {
      Issue.record("expected .corrupt, got \(String(describing: error))")
      return
    }
    let faults = try await store.read { reader in
      let lists = (try? reader.lists()) ?? []
      return try reader.strayRowFaults()
        + lists.flatMap { try reader.rowFaults(of: $0).map(\.reason) }
    }
    #expect(faults.contains { $0.contains("is not what was written") })
  }

  @Test func damagedRowIsNotReplacedByASoundOne() async throws {
    let folder = try await filled()
    try folder.sqlOfAnotherProgram("UPDATE lists SET id_rule = '[\"no\"]'")
    let store = try folder.open(.fail)
    await #expect(throws: LogTable.lists.damage) {
      try await store.write { try $0.setIDRule("[]", of: ListKey(rawValue: 1)) }
    }
    await #expect(throws: LogTable.lists.damage) { try await store.read { try $0.lists() } }
  }

  @Test func hashDistinguishesEveryFlippedBitAndEveryLength() {
    var random = SeededRandom.forThisRun()
    for count in 0..<40 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash = WordHash()
        hash.add(UInt64(bytes.count))
        bytes.withUnsafeBytes { hash.add($0) }
        return hash.value
      }
      for bit in 0..<count * 8 {
        var other = bytes
        other[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(hash(other) != hash(bytes), "seed \(random.seed)")
      }
      #expect(hash(bytes + [0]) != hash(bytes), "seed \(random.seed)")
    }
  }
}
