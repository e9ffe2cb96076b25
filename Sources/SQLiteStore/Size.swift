import GRDB
import ListStore
import LocalFiles

/// Sizes: counted in pages where SQLite can, else estimated from lengths.
extension StoreReader {
  func size(of list: ListRecord?) throws -> StoreSize {
    let pages = try pageByteCounts()
    var bytes = try pages ?? byteCountsByWeight()
    let isShared = try list != nil && lists().count > 1
    if let list {
      let (own, all) = (try weights(of: list.key), try weights(of: nil))
      bytes = bytes.filter { own[$0.key] != nil }
      if isShared {
        for (part, count) in bytes {
          bytes[part] = Self.share(own[part] ?? 0, of: all[part] ?? 0, in: count)
        }
      }
    } else {
      bytes[.free] = try pragma("freelist_count") * pragma("page_size")
      bytes[.other] = try fileByteCount() - bytes.values.reduce(0, +)
      bytes[.writeAheadLog] = try logByteCount()
    }
    var size = StoreSize(byteCounts: bytes, isEstimate: pages == nil || isShared)
    size.listCount = try list == nil ? count("lists") : 1
    size.versionCount = try count("versions", of: list?.key)
    size.changeCount = try count("changes", of: list?.key)
    size.checkpointCount = try count("checkpoints WHERE row = 0", of: list?.key)
    size.keptChangesCount = try count("change_sets", of: list?.key)
    return size
  }

  /// Each part's tables and indexes, as SQLite names them.
  private static let trees: [String: StoreSize.Part] = [
    "changes": .changes, "id_parts": .idIndex, "changes_by_item": .itemIndex,
    "versions": .versions, "head_parts": .headOrder,
    "sqlite_autoindex_head_parts_1": .headOrder, "checkpoints": .checkpoints,
    "sqlite_autoindex_checkpoints_1": .checkpoints, "change_sets": .keptChanges,
    "sqlite_autoindex_change_sets_1": .keptChanges,
  ]

  /// The bytes of the pages of each part; nil where this SQLite was built without `dbstat`.
  private func pageByteCounts() throws -> [StoreSize.Part: Int]? {
    let sql = "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"
    guard let statement = try? db.makeStatement(sql: sql) else { return nil }
    return try Row.fetchAll(statement).reduce(into: [:]) { bytes, row in
      guard let part = Self.trees[row["name"]] else { return }
      bytes[part, default: 0] += row["pgsize"]
    }
  }

  /// The pages in use, divided in proportion to the lengths of the rows.
  func byteCountsByWeight() throws -> [StoreSize.Part: Int] {
    let weights = try weights(of: nil)
    let used = try fileByteCount() - pragma("freelist_count") * pragma("page_size")
    let whole = weights.values.reduce(0, +)
    return weights.mapValues { Self.share($0, of: whole, in: used) }
  }

  private static func share(_ part: Int, of whole: Int, in count: Int) -> Int {
    whole == 0 ? 0 : Int(Double(count) * Double(part) / Double(whole))
  }

  /// The approximate number of bytes of the rows of each part.
  private func weights(of list: ListKey?) throws -> [StoreSize.Part: Int] {
    func length(_ column: String) -> String { "coalesce(length(CAST(\(column) AS BLOB)), 0)" }
    let sums: [(StoreSize.Part, String, String)] = [
      (.changes, "changes", "sum(20 + \(length("id")) + \(length("content")))"),
      (.itemIndex, "changes", "sum(iif(item IS NULL, 0, 14))"),
      (.versions, "versions", "sum(80 + \(length("author")) + \(length("message")))"),
      (.headOrder, "head_parts", "sum(24 + length(data))"),
      (.checkpoints, "checkpoints", "sum(16 + length(data))"),
      (.keptChanges, "change_sets", "sum(40 + length(data))"),
      (.idIndex, "id_parts", "sum(16 + length(data))"),
    ]
    return try Dictionary(
      uniqueKeysWithValues: sums.map { part, table, sum in
        let sql = "SELECT coalesce(\(sum), 0) FROM \(table)"
        return (part, try number(sql, of: list, in: table))
      })
  }

  private func count(_ rows: String, of list: ListKey? = nil) throws -> Int {
    try number("SELECT count(*) FROM \(rows)", of: list, in: rows)
  }

  /// The number that a query gives, for the rows of one list where one is named.
  private func number(_ sql: String, of list: ListKey?, in table: String) throws -> Int {
    guard let list else { return try Int.fetchOne(db, sql: sql) ?? 0 }
    let start = sql + (sql.contains(" WHERE ") ? " AND " : " WHERE ")
    let key = ["versions": "version_id", "changes": "change_id", "id_parts": "part_id"][table]
    let condition = key.map { "\($0) BETWEEN \(list.base) AND \(list.last)" }
    return try Int.fetchOne(db, sql: start + (condition ?? "list_id = \(list.rawValue)")) ?? 0
  }

  private func fileByteCount() throws -> Int { try pragma("page_count") * pragma("page_size") }

  private func pragma(_ name: String) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0
  }

  private func logByteCount() throws -> Int {
    let path = try String.fetchOne(
      db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
    return path.flatMap { FileStatus(path: $0 + "-wal")?.byteCount } ?? 0
  }
}
