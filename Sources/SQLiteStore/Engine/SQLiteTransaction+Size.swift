import GRDB
import ListStore
import LocalFiles

/// The sizes of a store: counted in pages where SQLite can count them, otherwise estimated from
/// lengths.
extension SQLiteTransaction {
  func size(of list: Int64?) throws -> StoreSize {
    let list = list.map { ListKey(rawValue: $0) }
    let pages = try pageByteCounts()
    var bytes = try pages ?? byteCountsByWeight()
    let isShared = try list != nil && count(.names) > 1
    if let list {
      let (own, all) = (try weights(of: list), try weights(of: nil))
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
    size.listCount = try list == nil ? count(.names) : 1
    size.versionCount = try count(.versions, of: list)
    size.checkpointCount = try sum("part = 0", over: .checkpoints, of: list)
    size.keptChangesCount = try count(.changeSets, of: list)
    return size
  }

  /// The part that each table and index belongs to, by the name that SQLite gives it.
  private static let trees: [String: StoreSize.Part] = [
    "segments": .changes, "blocks": .changes, "sqlite_autoindex_blocks_1": .changes,
    "id_parts": .idIndex, "versions": .versions, "versions_by_first_change": .versions,
    "head_parts": .headOrder,
    "sqlite_autoindex_head_parts_1": .headOrder, "checkpoints": .checkpoints,
    "sqlite_autoindex_checkpoints_1": .checkpoints, "change_sets": .keptChanges,
    "sqlite_autoindex_change_sets_1": .keptChanges,
  ]

  /// Returns the number of bytes in the pages of each part; nil if this SQLite was built without
  /// `dbstat`.
  private func pageByteCounts() throws -> [StoreSize.Part: Int]? {
    let sql = "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"
    guard let statement = try? db.makeStatement(sql: sql) else { return nil }
    return try Row.fetchAll(statement).reduce(into: [:]) { bytes, row in
      guard let part = Self.trees[row["name"]] else { return }
      bytes[part, default: 0] += row["pgsize"]
    }
  }

  /// Divides the bytes of the pages in use among the parts, in proportion to the lengths of their
  /// rows.
  func byteCountsByWeight() throws -> [StoreSize.Part: Int] {
    let weights = try weights(of: nil)
    let used = try fileByteCount() - pragma("freelist_count") * pragma("page_size")
    let whole = weights.values.reduce(0, +)
    return weights.mapValues { Self.share($0, of: whole, in: used) }
  }

  private static func share(_ part: Int, of whole: Int, in count: Int) -> Int {
    whole == 0 ? 0 : Int(Double(count) * Double(part) / Double(whole))
  }

  /// Returns the approximate number of bytes of the rows of each part, in one list or in all.
  private func weights(of list: ListKey?) throws -> [StoreSize.Part: Int] {
    func length(_ column: String) -> String { "coalesce(length(CAST(\(column) AS BLOB)), 0)" }
    return [
      .changes: try sum("20 + length(data)", over: .segments, of: list)
        + sum("20 + length(data)", over: .blocks, of: list),
      .versions: try sum(
        "90 + \(length("author")) + \(length("message"))", over: .versions, of: list),
      .headOrder: try sum("24 + length(data)", over: .headParts, of: list),
      .idIndex: try sum("16 + length(data)", over: .idParts, of: list),
      .checkpoints: try sum("16 + length(data)", over: .checkpoints, of: list),
      .keptChanges: try sum("40 + length(data)", over: .changeSets, of: list),
    ]
  }

  private func count(_ table: LogTable, of list: ListKey? = nil) throws -> Int {
    try sum("1", over: table, of: list)
  }

  /// Returns the sum of an expression over the rows of a list, or over all rows if the list is nil.
  private func sum(_ expression: String, over table: LogTable, of list: ListKey?) throws -> Int {
    let table = SQLTable[table]
    let condition = list.map { " WHERE \(table.condition(of: $0))" } ?? ""
    return try Int.fetchOne(
      db, sql: "SELECT coalesce(sum(\(expression)), 0) FROM \(table.name)\(condition)") ?? 0
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
