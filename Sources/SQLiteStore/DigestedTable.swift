import Foundation
import GRDB
import GRDBSQLite
import ListStore

/// The tables, each row of which has a digest: a check value over the other values of the row.
///
/// A row that is not as written is an error wherever it is read. The digest is part of every copy
/// of the row, whichever program makes the copy.
package enum DigestedTable: String, CaseIterable {
  case lists, versions, changes, tags, prunes, imports, tokens, grants, checkpoints, titles
  case headParts = "head_parts"
  case idParts = "id_parts"
  case changeSets = "change_sets"
  case formerLists = "former_lists"

  /// The columns that the digest covers, in order: all but keys that nothing refers to, and the
  /// ``otherColumn``.
  private var columnList: String {
    switch self {
    case .lists: "list_id, name, head, oldest, id_rule, next_change, id_digest"
    case .versions:
      """
      version_id, first_change, committed_at, author, message, item_count, removed, moved, \
      inserted, updated, checksum, chain
      """
    case .changes:
      "change_id, kind, item, id, old_index, new_index, old_content, new_content, content"
    case .headParts: "list_id, rank, item_count, lowest_item, highest_item"
    case .idParts: "part_id, data"
    case .checkpoints: "list_id, version, row, data"
    case .changeSets: "list_id, from_version, to_version, byte_count, data"
    case .tags: "list_id, name, version, tagged_at"
    case .prunes: "list_id, old_oldest, new_oldest, pruned_at, author, rule, chain"
    case .imports: "list_id, source, position"
    case .titles: "list_id, path"
    case .formerLists: "name, version, chain, left_at, author, new_name"
    case .tokens: "token_id, name, secret_hash, created_at, revoked_at"
    case .grants: "token_id, access, lists"
    }
  }

  var columns: [String] { columnList.components(separatedBy: ", ") }

  /// The SQL of the digest of the row, where some columns have other values.
  private func digest(_ changes: KeyValuePairs<String, String> = [:]) -> String {
    let values = columns.map { column in
      changes.first { $0.key == column }?.value ?? column
    }
    return "row_digest(\(values.joined(separator: ", ")))"
  }

  /// When kept changes were last used; the data of a part of the head, which has a digest of its
  /// own and is not read with the rest of its row.
  private var otherColumn: String? {
    switch self {
    case .headParts: "data"
    case .changeSets: "used_at"
    default: nil
    }
  }

  /// Whether a new row takes the place of the row with the same key.
  private var replacesRows: Bool {
    switch self {
    case .headParts, .idParts, .checkpoints, .changeSets, .tags, .imports, .titles: true
    case .lists, .versions, .changes, .prunes, .tokens, .grants, .formerLists: false
    }
  }

  /// The condition that a row is as written.
  var isSound: String { Self.conditions[self]! }

  private static let conditions = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, "digest IS \($0.digest())") })

  /// `INSERT` of a row whose values are bound in the order of ``columns``, ``otherColumn`` last.
  var insertion: String { Self.insertions[self]! }

  private static let insertions = Dictionary(
    uniqueKeysWithValues: allCases.map { table in
      let columns = table.columns + [table.otherColumn].compactMap { $0 } + ["digest"]
      let insert = table.replacesRows ? "INSERT OR REPLACE" : "INSERT"
      let places = (1..<columns.count).map { "?\($0)" }
      let covered = places.prefix(table.columns.count)
      return (
        table,
        """
        \(insert) INTO \(table.rawValue) (\(columns.joined(separator: ", "))) VALUES \
        (\(places.joined(separator: ", ")), row_digest(\(covered.joined(separator: ", "))))
        """
      )
    })

  /// The text after `SET` that gives columns new values. A damaged row stays damaged.
  func assignments(_ changes: KeyValuePairs<String, String>) -> String {
    let digest = "digest = iif(\(isSound), \(digest(changes)), digest)"
    return (changes.map { "\($0.key) = \($0.value)" } + [digest]).joined(separator: ", ")
  }

  /// Thrown for a row that is not as written.
  var damage: StoreError { .corrupt(reason: isDamaged) }
  var isDamaged: String { "a row of \(rawValue) is not what was written" }

  /// Thrown for a row whose values cannot be those of such a row.
  var brokenRules: StoreError {
    .corrupt(reason: "a row of \(rawValue) breaks the rules of \(rawValue)")
  }
}

extension DigestedTable {
  /// Gives a connection the SQL function `row_digest`. No view, index or constraint of the schema
  /// uses it, so other programs do not need it.
  package static func installDigest(in db: Database) {
    let code = sqlite3_create_function_v2(
      db.sqliteConnection, "row_digest", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, count, values in
        var hash = WordHash()
        for index in 0..<Int(count) { hash.add(value: values?[index]) }
        // SQLite stores a number of 24 bits in three bytes and one for its type.
        sqlite3_result_int64(context, Int64(Int32(truncatingIfNeeded: hash.value) >> 8))
      }, nil, nil, nil)
    precondition(code == SQLITE_OK, "SQLite accepts the function")
  }
}

extension WordHash {
  fileprivate mutating func add(value: OpaquePointer?) {
    let type = sqlite3_value_type(value)
    switch type {
    case SQLITE_INTEGER:
      add(UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_NULL:
      // As likely to be an integer or a length by chance as any other word.
      add(0x6e75_6c6c_6e75_6c6c)
    default:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      add(UInt64(count) &<< 3 | UInt64(type))
      add(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }
  }
}
