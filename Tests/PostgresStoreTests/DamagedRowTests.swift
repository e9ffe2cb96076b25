import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Testing

@testable import PostgresStore

/// Rows that are missing, or that are older ones, are damage; the log is never overwritten.
@Suite(.needsPostgreSQL) struct DamagedRowTests {
  @Test(arguments: [1, 2, 3])
  func historyOfAnItemDoesNotNameAnotherVersionThanItsOwn(missing: Int) async throws {
    let test = try PostgresTest("gap")
    for number in 1...4 { try await test.commit("a=\(number)", "b") }
    #expect(try await test.service.history(of: "a", in: .parks).count == 4)
    try test.server.sql(
      "DELETE FROM \"\(test.schema)\".versions WHERE version = \(missing)")
    await #expect(throws: StoreError.self) {
      _ = try await test.service.history(of: "a", in: .parks)
    }
  }

  /// A write of the row was lost: it is an older one, which is sound by itself.
  @Test func olderPartOfTheIDsIsNoticedBeforeAnItemComesInTwice() async throws {
    let test = try PostgresTest("older part")
    let table = "\"\(test.schema)\".id_parts"
    try await test.commit("a", "b")
    let old = try test.server.sql("SELECT encode(data, 'hex'), digest FROM \(table)")[0]
      .split(separator: "|")
    try await test.commit("a", "b", "c")
    try test.server.sql(
      "UPDATE \(table) SET data = decode('\(old[0])', 'hex'), digest = \(old[1])")
    let damage = StoreError.corrupt(reason: "a part of the ids of a list is an older one")
    let edit = Edit.put(try Snapshot.of("c=9").items[0], .first)
    await #expect(throws: damage) {
      _ = try await test.service.commit(CommitRequest(list: .parks, edits: [edit]))
    }
    #expect(try await test.service.state(of: ListRevision(.parks)).cursor?.version == Version(2))
    #expect(try await !test.service.verify().faults.isEmpty)
  }

  @Test func rowOfTheLogIsNeverOverwritten() async throws {
    let test = try PostgresTest("log")
    try await test.commit("a")
    let tables: [Table] = [.versions, .changes, .prunes]
    func rows() throws -> [String] {
      try tables.flatMap {
        try test.server.sql("SELECT * FROM \"\(test.schema)\".\($0.rawValue)")
      }
    }
    try await test.store.write { try ($0 as? PostgresWriter)?.insertPruning() }
    let before = try rows()
    for table in tables {
      await #expect(throws: StoreError.self, "\(table)") {
        try await test.store.write { writer in
          let list = try #require(try writer.list(.parks)).key
          let writer = try #require(writer as? PostgresWriter)
          switch table {
          case .versions:
            let record = try writer.versions(Version(1)...Version(1), of: list)[0]
            writer.insert(record, into: list, firstChange: 7)
          case .changes:
            let row: [Value] = [
              Value(list), .integer(1), .null, .null, .integer(0), .null, .null, .integer(1),
              .text("z"), .text("1"),
            ]
            try writer.insertMany(into: .changes, [(row, nil)])
          default: try writer.insertPruning()
          }
        }
      }
    }
    #expect(try rows() == before)
  }
}

extension PostgresWriter {
  fileprivate func insertPruning() throws {
    let list = try #require(try list(.parks)).key
    insert(
      into: .prunes, Value(list), .integer(1), .integer(2), .integer(0), .null, .text("rule"),
      .bytes(Chain.zero.bytes))
  }
}
