import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Testing

/// Rows that are missing, or that are older ones, are damage.
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
}
