import ListStore

/// The new rows of one table that were not sent yet. Few rows become statements, which are sent
/// with the next query; many rows are sent by COPY.
struct PendingRows {
  /// The largest number of rows that are sent as statements.
  static let fewRows = 16

  let table: LogTable
  /// Whether rows with the same keys are replaced.
  let isReplacing: Bool
  /// The rows that are not copied: at most ``fewRows`` rows, or any number of rows that replace
  /// others.
  var rows: [StoredRow] = []
  /// Non-nil while the rows are copied.
  var copy: CopyBuffer?

  init(_ table: LogTable, isReplacing: Bool) {
    (self.table, self.isReplacing) = (table, isReplacing)
  }

  /// Whether the rows replace so many others that deleting these and copying the rows is faster.
  /// The rows of other keys than a list and a number are few.
  var replacesMany: Bool {
    let layout = table.layout
    return isReplacing && rows.count > Self.fewRows && layout.keyColumnCount == 2
      && layout.columns[1].kind == .integer
  }

  /// The rows without those that a later one replaces.
  var newestRows: [StoredRow] {
    var places: [[LogValue]: Int] = [:]
    for (place, row) in rows.enumerated() {
      places[Array(row.values.prefix(table.layout.keyColumnCount))] = place
    }
    return places.values.sorted().map { rows[$0] }
  }
}

extension PostgresTransaction {
  func insert(_ row: LogRow, into table: LogTable) throws {
    try add(row, to: table, isReplacing: false)
  }

  func replace(_ row: LogRow, in table: LogTable) throws {
    try add(row, to: table, isReplacing: true)
  }

  private func add(_ row: LogRow, to table: LogTable, isReplacing: Bool) throws {
    if pending?.table != table || pending?.isReplacing != isReplacing {
      try sendRows()
      pending = PendingRows(table, isReplacing: isReplacing)
    }
    if pending?.copy == nil {
      pending?.rows.append(StoredRow(row))
      guard let rows = pending?.rows, !isReplacing, rows.count > PendingRows.fewRows else { return }
      try beginCopy(into: table)
      for row in rows { try copy(row) }
      pending?.rows = []
    } else {
      try copy(row, of: table.layout)
    }
  }

  /// Replaces the row of a list. If the server has another row than the old one, the statement
  /// divides by zero, and so makes the transaction fail. So this waits for no answer.
  func replaceList(_ old: StoredRow, with new: StoredRow) throws {
    let connection = try settled()
    let values = old.values.dropFirst()
    let names = LogTable.lists.layout.columns.dropFirst().map(\.name)
    func list(from place: Int, _ operation: String, _ separator: String) -> String {
      names.enumerated().map { "\($1) \(operation) $\(place + $0)" }.joined(separator: separator)
    }
    let old = list(from: 2 + names.count, "IS NOT DISTINCT FROM", " AND ")
    connection.queue(
      """
      WITH replaced AS (
        UPDATE \(name(.lists)) SET \(list(from: 2, "=", ", ")) WHERE list_id = $1 AND \(old)
        RETURNING 1)
      SELECT 1 / count(*) FROM replaced
      """, (new.values + values).map { Value($0) })
  }

  private func beginCopy(into table: LogTable) throws {
    try connection.beginCopy(
      into: "\(name(table)) (\(table.layout.columnNames(table.layout.columns.count)))")
    pending?.copy = CopyBuffer()
  }

  private func copy(_ row: StoredRow) throws {
    guard let table = pending?.table else { return }
    try row.withRow(upTo: row.values.count) { try copy($0, of: table.layout) }
  }

  private func copy(_ row: LogRow, of layout: TableLayout) throws {
    pending?.copy?.write(row, of: layout)
    guard let bytes = pending?.copy?.bytes, bytes.count >= CopyBuffer.pieceByteCount else { return }
    try connection.putCopy(bytes)
    pending?.copy?.removeAll()
  }

  /// Sends the pending rows if they are many; otherwise queues them, to be sent with the next
  /// query.
  func sendRows() throws {
    guard let rows = pending else { return }
    if rows.replacesMany {
      let newest = rows.newestRows
      deleteRows(with: newest, in: rows.table)
      try beginCopy(into: rows.table)
      for row in newest { try copy(row) }
    }
    if pending?.copy != nil {
      pending?.copy?.finish()
      if let bytes = pending?.copy?.bytes { try connection.putCopy(bytes) }
      try connection.endCopy()
    } else {
      for row in rows.rows { queue(row, rows) }
    }
    pending = nil
  }

  private func queue(_ row: StoredRow, _ rows: PendingRows) {
    var sql = insertion(into: rows.table)
    if rows.isReplacing {
      let layout = rows.table.layout
      let names = layout.columns.map(\.name).dropFirst(layout.keyColumnCount)
      let updates = names.map { "\($0) = excluded.\($0)" }
      sql += " ON CONFLICT (\(layout.keyNames)) DO UPDATE SET \(updates.joined(separator: ", "))"
    }
    connection.queue(sql, row.values.map { Value($0) })
  }

  /// Returns the statement that inserts a row, with a parameter for each column.
  func insertion(into table: LogTable) -> String {
    let names = table.layout.columns.map(\.name)
    let places = (1...names.count).map { "$\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO \(name(table)) (\(names.joined(separator: ", "))) VALUES (\(places))
      """
  }

  /// Deletes the rows that have the same keys as some new rows. A key must be a list and a number.
  private func deleteRows(with rows: [StoredRow], in table: LogTable) {
    let layout = table.layout
    let keys = Dictionary(grouping: rows) { $0.values[0] }
    for (list, rows) in keys {
      let numbers = rows.map { row in
        if case .integer(let number) = row.values[1] { number } else { Int64(0) }
      }
      connection.queue(
        """
        DELETE FROM \(name(table)) WHERE list_id = $1
          AND \(layout.columns[1].name) = ANY($2::bigint[])
        """, [Value(list), .integers(numbers)])
    }
  }
}
