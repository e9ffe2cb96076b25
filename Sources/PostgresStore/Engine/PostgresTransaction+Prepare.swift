import ListStore

/// Queries that were announced. They are sent together with the next query.
extension PostgresTransaction {
  func prepare(_ queries: @autoclosure () -> [Query]) throws {
    // The queries must find the rows that were written.
    try sendRows()
    for query in queries() {
      switch query {
      case .rows(let table, let keys): ask(keys, of: table)
      case .range(let range): ask(range)
      case .idDigestSum(let list): askIDDigestSum(of: list)
      }
    }
  }

  /// Returns the connection for a statement that must find all rows of this transaction: gets the
  /// announced answers, which would lack later rows, and sends or queues the pending rows.
  func settled() throws -> Connection {
    try flushAnnounced()
    try sendRows()
    return connection
  }

  /// Runs the announced queries, and puts their answers into the cache.
  func flushAnnounced() throws {
    if announced.isEmpty { return }
    for note in announced { note(&cache) }
    announced = []
    try connection.flush()
  }

  private func ask(
    _ sql: String, _ values: [Value], _ layout: TableLayout, _ columnCount: Int,
    atMost rowCount: Int? = nil, _ receive: @escaping (StoredRow) -> Void
  ) {
    let cells = ResultCells(layout, columnCount)
    connection.queueQuery(sql, values, atMost: rowCount) { receive(StoredRow(cells.row($0))) }
  }

  private func ask(_ range: RowRange) {
    if cache.rows(in: range) != nil { return }
    announced.append { $0.begin(range) }
    let (sql, values) = query(for: range)
    ask(
      sql, values, range.order.table.layout, range.columnCount, atMost: range.limit
    ) { [self] row in
      if range.order.table == .names { remember(row) }
      cache.add(row, to: range)
    }
  }

  private func ask(_ keys: [RowKey], of table: LogTable) {
    let count = table.layout.columns.count
    let missing = Set(keys).filter { !cache.has($0, of: table, columnCount: count) }
    for (list, keys) in Dictionary(grouping: missing, by: \.list) {
      announced.append { cache in for key in keys { cache.begin(key, of: table) } }
      let (sql, values) = query(for: table, list, keys.map(\.number), columnCount: count)
      ask(sql, values, table.layout, count, atMost: keys.count) { [self] in
        cache.add($0, of: table)
      }
    }
  }

  private func askIDDigestSum(of list: Int64) {
    guard cache.idDigestSums[list] == nil else { return }
    announced.append { $0.idDigestSums[list] = 0 }
    connection.queueQuery(
      "SELECT coalesce(sum(digest), 0)::bigint FROM \(name(.idParts)) WHERE list_id = $1",
      [.integer(list)]
    ) { [self] in cache.idDigestSums[list] = $0.integer(0) }
  }
}
