import GRDB
import GRDBSQLite
import ListStore
import LocalFiles
import RawSQLite

/// The tables of the log in one transaction of a connection.
final class SQLiteTransaction: EngineWriter {
  let db: Database
  let rowCounter = RowCounter()
  private let schema: Schema
  private var insertions: [RawStatement?] = LogTable.allCases.map { _ in nil }
  private var selections: [RangeForm: RawStatement] = [:]
  /// Whether pages may have become unused.
  private var hasDeleted = false

  init(_ db: Database, _ schema: Schema) { (self.db, self.schema) = (db, schema) }

  func statement(_ sql: String) throws -> RawStatement {
    try RawStatement(db, sql, rows: rowCounter)
  }

  // MARK: Reading

  func rows(in range: RowRange, _ receive: (LogRow) throws -> Bool) throws {
    let (table, selection) = (SQLTable[range.order.table], SQLSelection(range))
    let form = RangeForm(range)
    let statement =
      try selections[form]
      ?? statement(
        """
        SELECT \(table.columns(withData: range.includesData)) FROM \(table.name)\
        \(selection.condition)\(selection.end)
        """)
    selections[form] = statement
    statement.bind(selection)
    defer { statement.reset() }
    let cells = CellBuffer(table, columnCount: range.columnCount)
    while try statement.step() {
      guard try receive(cells.row(of: statement)) else { return }
    }
  }

  func rows(
    of table: LogTable, _ keys: [RowKey], includesData: Bool,
    _ receive: (_ position: Int, LogRow) throws -> Void
  ) throws {
    let table = SQLTable[table]
    let columns = table.columns(withData: includesData)
    let cells = CellBuffer(
      table,
      columnCount: includesData ? table.layout.columns.count : table.layout.coveredColumnCount)
    guard let key = table.joinedKey else {
      let hasNumber = table.layout.keyColumnCount > 1
      let condition = hasNumber ? " AND \(table.layout.columns[1].name) = ?2" : ""
      let statement = try statement(
        "SELECT \(columns) FROM \(table.name) WHERE list_id = ?1\(condition)")
      defer { statement.reset() }
      for (position, key) in keys.enumerated() {
        statement.reset()
        statement.bind(key.list, at: 1)
        if hasNumber { statement.bind(key.number, at: 2) }
        if try statement.step() { try receive(position, cells.row(of: statement)) }
      }
      return
    }
    let statement = try statement(
      "SELECT \(columns) FROM \(table.name) WHERE \(key) >= ? ORDER BY \(key)")
    try visit(keys.map { ListKey(rawValue: $0.list).base | $0.number }, statement) { position in
      try receive(position, cells.row(of: statement))
    }
  }

  /// Visits the rows of keys in ascending order, although the keys may be in any order: neighbours
  /// share pages. Steps to a near row, and seeks a distant one.
  private func visit(
    _ keys: [Int64], _ statement: RawStatement, _ body: (_ position: Int) throws -> Void
  ) throws {
    defer { statement.reset() }
    // The number of the current row; nil before the first row and after the last.
    var current: Int64?
    func visit(_ key: Int64, _ position: Int) throws {
      if let row = current, row <= key, key - row <= Self.nearRowCount {
        while let row = current, row < key {
          current = try statement.step() ? statement.integer(0) : nil
        }
      } else {
        statement.reset()
        statement.bind(key, at: 1)
        current = try statement.step() ? statement.integer(0) : nil
      }
      if current == key { try body(position) }
    }
    if zip(keys, keys.dropFirst()).allSatisfy(<=) {
      for (position, key) in keys.enumerated() { try visit(key, position) }
    } else {
      for position in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
        try visit(keys[position], position)
      }
    }
  }

  /// The number of rows over which stepping costs as much as one seek.
  private static let nearRowCount: Int64 = 6

  func idDigestSum(of list: Int64) throws -> Int64 {
    let list = ListKey(rawValue: list)
    return try number(
      "SELECT coalesce(sum(digest), 0) FROM id_parts WHERE part_id BETWEEN ? AND ?", list.base,
      list.last) ?? 0
  }

  /// Reads the lists that changed after a mark. The numbers of commits have no gaps. The schema's
  /// own number shows whether the file's content was restored or rebuilt.
  func changedLists(after mark: ChangeToken?) throws -> (mark: ChangeToken, changes: ChangedKeys?) {
    let newest = try number("SELECT max(number) FROM changed_lists") ?? 0
    let origin = try number("PRAGMA schema_version") ?? 0
    let now = ChangeToken(counts: [0: newest], origin: origin)
    guard let mark, mark.origin == origin, let last = mark.counts[0] else { return (now, nil) }
    let lists = try numbers(
      "SELECT list_id FROM changed_lists WHERE number > ? ORDER BY number", last)
    return (now, Int64(lists.count) == newest - last ? ChangedKeys(Set(lists)) : nil)
  }

  func lists(in table: LogTable) throws -> Set<Int64> {
    let table = SQLTable[table]
    guard let key = table.joinedKey else {
      return try Set(numbers("SELECT DISTINCT list_id FROM \(table.name)"))
    }
    // Reads one list after the other. `UNION` ends this if damaged pages lead back to an earlier
    // list.
    return try Set(
      numbers(
        """
        WITH RECURSIVE found (list) AS (
          SELECT min(\(key)) >> 32 FROM \(table.name)
          UNION
          SELECT (SELECT min(\(key)) >> 32 FROM \(table.name) WHERE \(key) >= list + 1 << 32)
          FROM found WHERE list IS NOT NULL)
        SELECT list FROM found WHERE list IS NOT NULL
        """))
  }

  func integrityFaults() throws -> [String] {
    let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check")
    return try (lines == ["ok"] ? [] : lines)
      + missingSchemaParts().map { "the schema's \($0) is missing or altered" }
  }

  /// Returns the parts of the schema that this store lacks, or has in another form. Without an
  /// index, for example, it would answer slowly.
  private func missingSchemaParts() throws -> [String] {
    let here = try db.schemaParts()
    return try schema.parts(of: schema.newest).filter { here[$0.key] != $0.value }.keys.sorted()
  }

  func reason(ofReading error: any Error) throws -> String { StoreError.reason(ofReading: error) }

  /// Returns the number that a query returns; nil if it returns no row.
  func number(_ sql: String, _ values: Int64...) throws -> Int64? {
    let statement = try statement(sql)
    statement.bind(values.map { .integer($0) })
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInteger(0) : nil
  }

  private func numbers(_ sql: String, _ values: Int64...) throws -> [Int64] {
    let statement = try statement(sql)
    statement.bind(values.map { .integer($0) })
    defer { statement.reset() }
    var numbers: [Int64] = []
    while try statement.step() { numbers.append(statement.integer(0)) }
    return numbers
  }

  // MARK: Writing

  func insert(_ row: LogRow, into table: LogTable) throws {
    let sql = SQLTable[table]
    let insertion = try insertions[table.rawValue] ?? statement(sql.insertion)
    insertions[table.rawValue] = insertion
    try insertion.run(row, of: sql)
  }

  func replace(_ row: LogRow, in table: LogTable) throws {
    let table = SQLTable[table]
    try statement(table.replacement).run(row, of: table)
  }

  func replaceList(_ old: StoredRow, with new: StoredRow) throws {
    let table = SQLTable[.lists]
    let statement = try statement(table.exchange)
    try new.withRow(upTo: new.values.count) { new in
      try old.withRow(upTo: old.values.count) { old in
        try statement.bind(old, of: table, from: Int32(old.cells.count + 1))
        try statement.run(new, of: table)
      }
    }
    guard db.changesCount == 1 else { throw StoreError.headMoved }
  }

  func delete(_ range: RowRange) throws {
    // Most commits exchange segments, and use their pages again.
    hasDeleted = hasDeleted || range.order.table != .segments
    let selection = SQLSelection(range)
    let statement = try statement(
      "DELETE FROM \(range.order.table.layout.name)\(selection.condition)")
    statement.bind(selection)
    try statement.run()
  }

  /// The number of unused pages that may stay, and that are returned at once.
  private static let (freePageCount, releasedPageCount): (Int64, Int64) = (16, 256)

  func release(_ space: UnusedSpace) throws -> Bool {
    guard hasDeleted || space != .surplusAfterDeletion else { return false }
    let (free, all) = (try pragma("freelist_count"), try pragma("page_count"))
    let kept = space == .all ? 0 : max(Self.freePageCount, all / Self.freePageCount)
    guard free > kept else { return false }
    // Each step returns a page, and reads no row.
    let count = min(free - kept, Self.releasedPageCount)
    let statement = try RawStatement(db, "PRAGMA incremental_vacuum(\(count))")
    defer { statement.reset() }
    while try statement.step() {}
    // A file that another program has made may never shrink.
    return try pragma("freelist_count") < free && free - kept > Self.releasedPageCount
  }

  func hasRoom(for byteCount: Int) throws -> Bool {
    guard let name = sqlite3_db_filename(db.sqliteConnection, "main") else { return true }
    return FileStatus.freeByteCount(at: String(cString: name)).map { $0 >= byteCount } ?? true
  }

  /// Returns a number that SQLite knows without reading rows.
  private func pragma(_ name: String) throws -> Int64 {
    let statement = try RawStatement(db, "PRAGMA \(name)")
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  func newListKey() throws -> Int64 {
    try number("SELECT coalesce(max(list_id), 0) + 1 FROM lists") ?? 1
  }

  func record(changed lists: Set<Int64>) throws {
    for list in lists.sorted() {
      try statement("INSERT INTO changed_lists (list_id) VALUES (?)").run(.integer(list))
    }
    // Not each time, since most transactions change a single list.
    let newest = db.lastInsertedRowID
    guard newest & 31 < lists.count else { return }
    try statement("DELETE FROM changed_lists WHERE number <= ? - 128").run(.integer(newest))
  }
}

/// The form of a range: everything that its SQL depends on. Ranges of the same form share a
/// statement.
private struct RangeForm: Hashable {
  let order: RowRange.Order
  let prefixCount: Int
  let hasStart: Bool
  let hasEnd: Bool
  let isDescending: Bool
  let limit: Int?
  let includesData: Bool

  init(_ range: RowRange) {
    (order, prefixCount) = (range.order, range.prefix.count)
    (hasStart, hasEnd) = (range.from != nil, range.through != nil)
    (isDescending, limit) = (range.isDescending, range.limit)
    includesData = range.includesData
  }
}
