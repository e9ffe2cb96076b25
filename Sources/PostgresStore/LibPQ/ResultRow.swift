import ListStore

/// A row of a result. It is valid until the result is freed.
struct ResultRow {
  let libpq: LibPQ
  let result: OpaquePointer
  let row: CInt

  func isNull(_ column: Int) -> Bool { libpq.getisnull(result, row, CInt(column)) != 0 }

  /// Passes the bytes of a column to a body; none for null.
  func withBytes<Result>(
    _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let count = Int(libpq.getlength(result, row, CInt(column)))
    let start = libpq.getvalue(result, row, CInt(column))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Returns an integer of any width; 0 for null.
  func integer(_ column: Int) -> Int64 {
    withBytes(column) { bytes in
      let isNegative = (bytes.first ?? 0) & 0x80 != 0
      return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
  }

  func cell(_ column: Int, _ kind: TableLayout.Column.Kind) -> LogCell {
    if isNull(column) { return .null }
    if kind == .integer { return .integer(integer(column)) }
    return withBytes(column) { .bytes($0) }
  }

  func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

  func text(_ column: Int) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }
}

/// The cells of one row of a result, in memory that is used again for each row.
final class ResultCells {
  private let cells: UnsafeMutableBufferPointer<LogCell>
  private let kinds: [TableLayout.Column.Kind]

  init(_ layout: TableLayout, _ count: Int) {
    cells = .allocate(capacity: count)
    kinds = layout.columns.prefix(count).map(\.kind)
  }

  deinit { cells.deallocate() }

  func row(_ row: ResultRow) -> LogRow {
    for (column, kind) in kinds.enumerated() {
      cells.initializeElement(at: column, to: row.cell(column, kind))
    }
    return LogRow(UnsafeBufferPointer(cells))
  }
}
