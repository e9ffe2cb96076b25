import GRDB
import GRDBSQLite
import ListStore

/// The tables whose rows have a digest, a check value over all their other values.
///
/// A row that is not what was written is an error wherever it is read. The digest travels with
/// every copy of the row, whichever program makes the copy.
package enum DigestedTable: String, CaseIterable {
  case lists, versions, changes, tags, prunes, imports, tokens, grants, checkpoints
  case headParts = "head_parts"
  case changeSets = "change_sets"

  /// What the digest covers, in order: every column but numbers that nothing refers to, when kept
  /// changes were last used, and the data of a part of the head, which has a digest of its own and
  /// is not read with the rest of its row.
  var columns: [String] {
    switch self {
    case .lists: ["list_id", "name", "head", "oldest", "id_rule", "next_change"]
    case .versions:
      [
        "version_id", "first_change", "committed_at", "author", "message", "item_count", "removed",
        "moved", "inserted", "updated", "checksum", "chain",
      ]
    case .changes:
      [
        "change_id", "kind", "item", "id", "old_index", "new_index", "old_content", "new_content",
        "content",
      ]
    case .headParts:
      ["list_id", "rank", "item_count", "lowest_item", "highest_item"]
    case .checkpoints: ["list_id", "version", "row", "data"]
    case .changeSets: ["list_id", "from_version", "to_version", "byte_count", "data"]
    case .tags: ["list_id", "name", "version", "tagged_at"]
    case .prunes:
      ["list_id", "old_oldest", "new_oldest", "pruned_at", "author", "rule", "chain"]
    case .imports: ["list_id", "source", "position"]
    case .tokens: ["token_id", "name", "secret_hash", "created_at", "revoked_at"]
    case .grants: ["token_id", "access", "lists"]
    }
  }

  /// The condition that a row is what was written.
  var isSound: String { "digest IS \(digest(of: columns))" }

  /// `INSERT` of a row whose values are bound in the order of ``columns``.
  ///
  /// - Parameter other: columns that the digest does not cover, bound behind the others.
  func insertion(replaces: Bool = false, other: [String] = []) -> String {
    let all = columns + other
    let places = all.indices.map { "?\($0 + 1)" }
    let values = places + [digest(of: Array(places.prefix(columns.count)))]
    return """
      INSERT \(replaces ? "OR REPLACE " : "")INTO \(rawValue)
        (\((all + ["digest"]).joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
      """
  }

  /// What follows `SET` where columns get new values. A row that is damaged stays so.
  func assignments(_ changes: KeyValuePairs<String, String>) -> String {
    let values = columns.map { column in changes.first { $0.key == column }?.value ?? column }
    return
      (changes.map { "\($0.key) = \($0.value)" }
      + ["digest = iif(\(isSound), \(digest(of: values)), digest)"]).joined(separator: ", ")
  }

  private func digest(of values: [String]) -> String {
    "row_digest(\(values.joined(separator: ", ")))"
  }

  /// What a reader takes a row for that is not what was written.
  var damage: StoreError { .corrupt(reason: "a row of \(rawValue) is not what was written") }
}

extension DigestedTable {
  /// Makes the digest of every row anew, whatever the row holds.
  package static func renewAll(in db: Database) throws {
    for table in allCases where try db.tableExists(table.rawValue) {
      try db.execute(
        sql: "UPDATE \(table.rawValue) SET digest = \(table.digest(of: table.columns))")
    }
  }

  /// Lets a connection read a store of before digests as if each row had the right one.
  static func assumeAll(in db: Database) throws {
    for table in allCases where try db.tableExists(table.rawValue, in: "main") {
      try db.execute(
        sql: """
          CREATE TEMP VIEW \(table.rawValue) AS
          SELECT *, \(table.digest(of: table.columns)) AS digest FROM main.\(table.rawValue)
          """)
    }
  }

  /// Gives a connection the SQL function `row_digest`, by which rows are written and checked. No
  /// view, index or constraint of the schema uses it, so that other programs need it not.
  package static func installDigest(in db: Database) {
    let code = sqlite3_create_function_v2(
      db.sqliteConnection, "row_digest", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, count, values in
        var hash = WordHash()
        for index in 0..<Int(count) { hash.add(value: values?[index]) }
        // 24 bits, since SQLite stores such a number in three bytes and one that says so.
        sqlite3_result_int64(context, Int64(Int32(truncatingIfNeeded: hash.value) >> 8))
      }, nil, nil, nil)
    precondition(code == SQLITE_OK, "SQLite takes a function")
  }
}

extension WordHash {
  fileprivate mutating func add(value: OpaquePointer?) {
    let type = sqlite3_value_type(value)
    switch type {
    case SQLITE_INTEGER:
      add(UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_NULL:
      // No integer and no length is taken for it by chance more than any other.
      add(0x6e75_6c6c_6e75_6c6c)
    default:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      add(UInt64(count) &<< 3 | UInt64(type))
      add(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
  }
}
