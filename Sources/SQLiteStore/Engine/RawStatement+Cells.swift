import GRDB
import GRDBSQLite
import ListStore
import RawSQLite

/// The cells of one row of a statement, in memory that is used again for each row.
final class CellBuffer {
  private let cells: UnsafeMutableBufferPointer<LogCell>
  private let kinds: [TableLayout.Column.Kind]
  private let isKeyJoined: Bool

  /// - Parameter columnCount: the number of table columns that the statement returns, beginning
  ///   with its first column. A joined key returns two.
  init(_ table: SQLTable, columnCount: Int) {
    cells = .allocate(capacity: columnCount)
    kinds = table.layout.columns.prefix(columnCount).map(\.kind)
    isKeyJoined = table.joinedKey != nil
  }

  deinit { cells.deallocate() }

  /// Returns the current row of a statement. A value of another type than its column's becomes
  /// null; the row's digest then differs.
  func row(of statement: RawStatement) -> LogRow {
    let handle = statement.handle
    var (cell, column): (Int, Int32) = (0, 0)
    if isKeyJoined {
      let key = sqlite3_column_int64(handle, 0)
      cells.initializeElement(at: 0, to: .integer(key >> 32))
      cells.initializeElement(at: 1, to: .integer(key & ListKey.largestSequence))
      (cell, column) = (2, 1)
    }
    while cell < kinds.count {
      cells.initializeElement(at: cell, to: Self.cell(handle, column, kinds[cell]))
      (cell, column) = (cell + 1, column + 1)
    }
    return LogRow(UnsafeBufferPointer(cells))
  }

  private static func cell(
    _ handle: SQLiteStatement, _ column: Int32, _ kind: TableLayout.Column.Kind
  ) -> LogCell {
    switch (sqlite3_column_type(handle, column), kind) {
    case (SQLITE_INTEGER, .integer): return .integer(sqlite3_column_int64(handle, column))
    case (SQLITE_TEXT, .text), (SQLITE_BLOB, .bytes):
      let start = sqlite3_column_blob(handle, column)
      let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
      return .bytes(UnsafeRawBufferPointer(start: start, count: count))
    default: return .null
    }
  }
}

extension RawStatement {
  /// Runs a statement with the values of a row, which SQLite does not copy.
  func run(_ row: LogRow, of table: SQLTable) throws {
    try bind(row, of: table)
    defer { sqlite3_reset(handle) }
    _ = try step()
  }

  /// Binds the values of a row, which SQLite does not copy.
  ///
  /// - Parameter first: the position of the first value.
  func bind(_ row: LogRow, of table: SQLTable, from first: Int32 = 1) throws {
    var (cell, place) = (0, first)
    if table.joinedKey != nil {
      let key = ListKey(rawValue: row.integer(0))
      guard (0...ListKey.largestSequence).contains(row.integer(1)) else {
        throw StoreError.listFull
      }
      bind(key.base | row.integer(1), at: place)
      (cell, place) = (2, place + 1)
    }
    while cell < row.cells.count {
      switch row.cells[cell] {
      case .null: sqlite3_bind_null(handle, place)
      case .integer(let number): sqlite3_bind_int64(handle, place, number)
      case .bytes(let bytes):
        // An empty array may have no address, which SQLite would bind as NULL.
        let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        if table.layout.columns[cell].kind == .text {
          sqlite3_bind_text(
            handle, place, start.assumingMemoryBound(to: CChar.self), Int32(bytes.count), nil)
        } else {
          sqlite3_bind_blob(handle, place, start, Int32(bytes.count), nil)
        }
      }
      (cell, place) = (cell + 1, place + 1)
    }
  }

  func bind(_ selection: SQLSelection) {
    for (place, (value, kind)) in zip(Int32(1)..., selection.values) {
      switch (value, kind) {
      case (.null, _): bind(nil, at: place)
      case (.integer(let number), _): bind(number, at: place)
      case (.bytes(let bytes), .text): bind(.utf8(bytes), at: place)
      case (.bytes(let bytes), _): bind(.blob(bytes), at: place)
      }
    }
  }
}
