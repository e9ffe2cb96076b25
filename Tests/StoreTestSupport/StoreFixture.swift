import Foundation
import GRDB
import GRDBSQLite
import ListModel
import SyncService
import TestSupport

@testable import ListStore
@testable import SQLiteStore

extension Database {
  /// Leaves the 8 bytes at the end of each page in which schemas 3 and 4 had checksums.
  fileprivate func reserveBytesOfPages() {
    var count: Int32 = 8
    sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
  }
}

/// A store as the program of a released schema left it, and what that program said of it:
/// `Tests/Fixtures/Schemas`, which never changes.
package struct StoreFixture: Decodable, Sendable {
  package struct Recorded: Decodable, Sendable {
    package let name: String
    package let head: Int
    package let oldest: Int
    package let idRule: String?
    /// Nil for schemas that had none.
    package let titlePath: String?
    package let versions: [RecordedVersion]
    /// Names and versions.
    package let tags: [RecordedTag]

    private enum CodingKeys: String, CodingKey {
      case name, head, oldest, versions, tags
      case idRule = "id_rule"
      case titlePath = "title_path"
    }
  }

  package struct RecordedVersion: Decodable, Sendable {
    package let version: Int
    /// In hexadecimal digits, as the next.
    package let chain: String
    package let checksum: String
    package let time: Int64
    package let author: String?
    package let message: String?
    /// Id and canonical content of each, in order.
    package let items: [[String]]

    package func snapshot() throws -> Snapshot {
      try Snapshot(items.map { Item(id: ItemID($0[0]), content: try Content(json: $0[1])) })
    }
  }

  package struct RecordedTag: Decodable, Sendable {
    package let name: String
    package let version: Int
  }

  package struct RecordedToken: Decodable, Sendable {
    package let name: String
    package let secret: String
    package let createdAt: Int64
    package let revokedAt: Int64?
    /// Rights and patterns.
    package let grants: [[String]]

    private enum CodingKeys: String, CodingKey {
      case name, secret, grants
      case createdAt = "created_at"
      case revokedAt = "revoked_at"
    }
  }

  package let lists: [Recorded]
  /// As they are listed; nil for schemas that had none.
  package let tokens: [RecordedToken]?
  /// Name, last cursor, and new name if there is one; nil for schemas that had none.
  package let formerLists: [[String]]?

  private enum CodingKeys: String, CodingKey {
    case lists, tokens
    case formerLists = "former_lists"
  }

  package static let schemas = 1...8

  private static func url(_ schema: Int, _ ending: String) -> URL {
    Project.root.appendingPathComponent("Tests/Fixtures/Schemas/schema-\(schema).\(ending)")
  }

  /// The recorded answers of a store of a schema.
  package static func recorded(schema: Int) throws -> StoreFixture {
    try JSONDecoder().decode(StoreFixture.self, from: Data(contentsOf: url(schema, "json")))
  }

  /// Makes the store of a schema.
  ///
  /// - Parameters:
  ///   - isBackup: whether it is one file without a log, as `backup` leaves it.
  ///   - copies: how often each list is there once more, by another name; of schemas 1 and 2.
  package static func make(
    schema: Int, at path: String, isBackup: Bool = false, copies: Int = 0
  ) throws {
    let queue = try DatabaseQueue(path: path)
    let sql = try String(contentsOf: url(schema, "sql"), encoding: .utf8)
    try queue.writeWithoutTransaction { db in
      if (3...4).contains(schema) { db.reserveBytesOfPages() }
      if !isBackup { try db.execute(sql: "PRAGMA journal_mode = WAL") }
      try db.execute(sql: sql)
      guard copies > 0 else { return }
      try db.inTransaction {
        for number in 1...copies {
          try db.execute(sql: copying[schema - 1], arguments: ["n": number])
        }
        return .commit
      }
    }
    try queue.close()
  }

  /// Adds each list of the fixture once more. The chain does not cover row numbers, so it stays
  /// valid.
  private static let copying = [
    """
    INSERT INTO lists SELECT list_id + 2 * :n, name || '-' || :n, head, oldest, id_rule
    FROM lists WHERE list_id <= 2;
    INSERT INTO versions SELECT list_id + 2 * :n, version, first_change + (2 * :n << 40),
      change_count, committed_at, author, message, item_count, removed, moved, inserted, updated,
      checksum, chain FROM versions WHERE list_id <= 2;
    INSERT INTO changes SELECT change_id + (2 * :n << 40), list_id + 2 * :n, kind,
      item + (2 * :n << 40), id, old_index, new_index, old_content + (2 * :n << 40),
      new_content + (2 * :n << 40), content FROM changes WHERE list_id <= 2;
    """,
    """
    INSERT INTO lists SELECT list_id + 2 * :n, name || '-' || :n, head, oldest, id_rule, next_change
    FROM lists WHERE list_id <= 2;
    INSERT INTO versions SELECT version_id + (2 * :n << 32), first_change, committed_at, author,
      message, item_count, removed, moved, inserted, updated, checksum, chain
    FROM versions WHERE version_id < 3 << 32;
    INSERT INTO changes SELECT change_id + (2 * :n << 32), kind, item, id, old_index, new_index,
      old_content, new_content, content FROM changes WHERE change_id < 3 << 32;
    INSERT INTO head_parts SELECT list_id + 2 * :n, rank, item_count, lowest_item + (2 * :n << 32),
      highest_item + (2 * :n << 32), data FROM head_parts WHERE list_id <= 2;
    INSERT INTO checkpoints SELECT list_id + 2 * :n, version, row, data
    FROM checkpoints WHERE list_id <= 2;
    """,
  ]
}
