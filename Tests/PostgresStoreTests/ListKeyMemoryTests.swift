import ListModel
import ListStore
import PostgresStore
import PostgresTestSupport
import StoreTestSupport
import TestSupport
import Testing

/// Keys of lists that a writer locks before it has read the directory.
@Suite(.needsPostgreSQL) struct ListKeyMemoryTests {
  private struct Undone: Error {}

  /// Another writer would lock a row that it cannot see yet, and then find the list.
  @Test func keyIsRememberedWhenOthersSeeTheList() async throws {
    let test = try PostgresTest("memory")
    await #expect(throws: Undone.self) {
      try await test.store.write { store in
        _ = try store.createList(.parks)
        #expect(try store.lockedList(.parks) != nil)
        throw Undone()
      }
    }
    func remembered() async throws -> Int64? {
      try await test.store.writeRows { $0.listKeys?.key(of: .parks) }
    }
    #expect(try await remembered() == nil)
    try await test.commit("a")
    let list = try #require(try await test.store.read { try $0.list(.parks) })
    #expect(try await remembered() == list.key.rawValue)
  }
}
