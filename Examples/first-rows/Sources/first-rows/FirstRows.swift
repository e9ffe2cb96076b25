import Foundation
import GRDB
import GRDBReplica
import ListModel
import SyncClient
import SyncClientHTTP

/// Shows the first twenty rows of a list, again after each update:
///
///     first-rows http://127.0.0.1:8080 parks app.db
///
/// The rows are in a table of `app.db`, which any other program may read meanwhile.
@main struct FirstRows {
  static func main() async {
    do {
      let words = CommandLine.arguments
      guard words.count == 4, let list = ListName(words[2]) else { throw Usage() }
      try await follow(list, at: ServerAddress(words[1]), in: DatabasePool(path: words[3]))
    } catch {
      FileHandle.standardError.write(Data("first-rows: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func follow(
    _ list: ListName, at address: ServerAddress, in pool: DatabasePool
  ) async throws {
    try await pool.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS items (
            id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, content BLOB NOT NULL);
          CREATE INDEX IF NOT EXISTS items_by_place ON items (place);
          """)
    }
    let replica = TableReplica(
      of: list, at: address, over: HTTPTransport(address), in: pool, table: ItemTable("items"))
    try await replica.start()
    Task {
      for await case .failed(let error) in replica.states {
        FileHandle.standardError.write(Data("first-rows: \(error)\n".utf8))
        exit(1)
      }
    }
    let firstRows = ValueObservation.tracking { db in
      try Row.fetchAll(db, sql: "SELECT id, content FROM items ORDER BY place LIMIT 20").map {
        "  \($0["id"] as String)  \(String(decoding: $0["content"] as Data, as: UTF8.self))"
      }
    }
    for try await rows in firstRows.removeDuplicates().values(in: pool) {
      print("\(rows.count) rows")
      for row in rows { print(row) }
      // Also when the output is a pipe.
      fflush(nil)
    }
  }

  struct Usage: Error, CustomStringConvertible {
    let description = "usage: first-rows ADDRESS LIST DATABASE"
  }
}
