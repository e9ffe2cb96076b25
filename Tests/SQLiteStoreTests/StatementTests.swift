import GRDB
import GRDBSQLite
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct StatementTests {
  /// A former fault: a store that is open for reading compiled each statement again in each
  /// transaction, which took a third of the time of many short ones.
  @Test func aStoreThatIsReadCompilesEachStatementOnce() async throws {
    let folder = try StoreFolder()
    try await folder.open().append(["a"])
    let store = try SQLiteStore(readingFrom: folder.path)
    func compiledAgainCount() async throws -> Int {
      try await store.withoutTransaction { db in
        var (count, statement) = (0, sqlite3_next_stmt(db.sqliteConnection, nil))
        while let found = statement {
          count += Int(sqlite3_stmt_status(found, SQLITE_STMTSTATUS_REPREPARE, 0))
          statement = sqlite3_next_stmt(db.sqliteConnection, found)
        }
        return count
      }
    }
    var counts: [Int] = []
    for _ in 0..<4 {
      #expect(try await store.read { try $0.lists().count } == 1)
      counts.append(try await compiledAgainCount())
    }
    #expect(counts[1] == counts[3], "\(counts)")
  }
}
