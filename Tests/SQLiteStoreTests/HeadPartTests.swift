import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// The head's parts in the store.
@Suite(.serialized) struct HeadPartTests {
  private func ids(_ range: Range<Int>) -> [String] { range.map { "i\($0)" } }

  private func head(of store: SQLiteStore) async throws -> [String] {
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      let order = try #require(try reader.headOrder(of: list))
      return try reader.ids(of: order.items().map(\.id)).map(\.text)
    }
  }

  @Test func reopenedStoreReadsTheWrittenHead() async throws {
    let folder = try StoreFolder()
    var expected = ids(0..<5000)
    try await folder.open().append(expected)
    for texts in [
      ["new"] + expected, expected.reversed(), [], ids(3..<9), ids(0..<3000) + ["new"],
    ] {
      expected = texts
      try await folder.open(.fail).append(expected)
      #expect(try await head(of: folder.open(.fail)) == expected)
    }
  }

  @Test func smallChangeWritesOnlyOneOfManyParts() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(ids(0..<20_000))
    let before = try folder.rows("SELECT rank, hex(data) FROM head_parts ORDER BY rank")
    #expect(before.count == 20)
    try await store.append(ids(0..<7000) + ["new"] + ids(7000..<20_000))
    let after = try folder.rows("SELECT rank, hex(data) FROM head_parts ORDER BY rank")
    #expect(zip(before, after).filter { $0 != $1 }.count == 1)
    #expect(after.count == before.count)
  }

  @Test(arguments: [
    "DELETE FROM head_parts WHERE rank = (SELECT min(rank) FROM head_parts)",
    "UPDATE head_parts SET item_count = item_count + 1",
    "UPDATE head_parts SET item_count = 9223372036854775807",
    "UPDATE head_parts SET lowest_item = highest_item + 1",
    "UPDATE head_parts SET highest_item = highest_item + 1",
    "UPDATE head_parts SET data = (SELECT data FROM head_parts ORDER BY rank LIMIT 1)",
    "UPDATE head_parts SET data = x''",
    "UPDATE head_parts SET data = substr(data, 1, length(data) - 1)",
    "UPDATE head_parts SET data = CAST(data || x'00' AS BLOB)",
  ])
  func damagedHeadIsReportedAsCorrupt(sql: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(ids(0..<3000))
    try folder.sql(sql)
    let error = await #expect(throws: StoreError.self) { try await head(of: store) }
    guard case .corrupt = error else {
      Issue.record("expected .corrupt, got \(String(describing: error))")
      return
    }
  }

  @Test func versionNumberNeverSelectsRowsOfAnotherList() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try await store.append(["b"], to: "films")
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      for number in [1 << 32 + 1, 3 << 32 + 1, Int.max] {
        #expect(try reader.versions(Version(number)...Version(number), of: list.key) == [])
        #expect(try reader.versions(Version(0)...Version(number), of: list.key).count == 1)
      }
    }
  }
}
