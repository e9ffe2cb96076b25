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
      case .steps(let list, let versions):
        if cache.isNew(query) { askSteps(versions, of: list) }
      case .items(let list, let items): if cache.isNew(query) { askItems(items, of: list) }
      case .contents(let list, let contents, let count):
        ask(contents, in: list, newest: count)
      case .idDigestSum(let list): askIDDigestSum(of: list)
      }
    }
  }

  /// Runs the announced queries, and puts their answers into the cache.
  func flushAsked() throws {
    if asked.isEmpty { return }
    for note in asked { note(&cache) }
    asked = []
    try connection.flush()
  }

  private func ask(
    _ sql: String, _ values: [Value], _ layout: TableLayout, _ columnCount: Int,
    atMost rowCount: Int? = nil, _ receive: @escaping (StoredRow) -> Void
  ) {
    let cells = CellBuffer(layout, columnCount)
    connection.ask(sql, values, atMost: rowCount) { receive(StoredRow(cells.row($0))) }
  }

  private func ask(_ range: RowRange) {
    if cache.rows(in: range) != nil { return }
    asked.append { $0.begin(range) }
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
      asked.append { cache in for key in keys { cache.begin(key, of: table) } }
      let (sql, values) = query(for: table, list, keys.map(\.number), columnCount: count)
      ask(sql, values, table.layout, count, atMost: keys.count) { [self] in
        cache.add($0, of: table)
      }
    }
  }

  /// Queues a query for the change rows of versions and the rows that these reference. The server
  /// itself looks up the numbers of the change rows. If there are too many, the rest is missing in
  /// the cache, and is read when it is needed.
  private func askSteps(_ versions: ClosedRange<Int64>, of list: Int64) {
    asked.append { _ in }
    let layout = LogTable.changes.layout
    let columns = layout.columnNames(layout.columns.count)
    let changes = """
      SELECT * FROM \(name(.changes)) WHERE list_id = $1
        AND change >= (
          SELECT first_change FROM \(name(.versions)) WHERE list_id = $1 AND version = $2)
        AND change < coalesce(
          (SELECT first_change FROM \(name(.versions)) WHERE list_id = $1 AND version = $3),
          (SELECT next_change FROM \(name(.lists)) WHERE list_id = $1))
      ORDER BY change LIMIT \(Query.stepChangeCount)
      """
    ask(
      """
      WITH step AS MATERIALIZED (\(changes)), named AS (
        SELECT DISTINCT value FROM step, LATERAL (
          VALUES (item), (old_content), (new_content)) AS named (value) WHERE value IS NOT NULL)
      SELECT \(columns) FROM step
      UNION ALL
      SELECT \(columns) FROM named CROSS JOIN LATERAL (
        SELECT * FROM \(name(.changes)) WHERE list_id = $1 AND change = named.value OFFSET 0
      ) AS found
      """,
      [.integer(list), .integer(versions.lowerBound), .integer(versions.upperBound + 1)], layout,
      layout.columns.count
    ) { [self] in cache.add($0, of: .changes) }
  }

  private func askIDDigestSum(of list: Int64) {
    guard cache.idDigestSums[list] == nil else { return }
    asked.append { $0.idDigestSums[list] = 0 }
    connection.ask(
      "SELECT coalesce(sum(digest), 0)::bigint FROM \(name(.idParts)) WHERE list_id = $1",
      [.integer(list)]
    ) { [self] in cache.idDigestSums[list] = $0.integer(0) }
  }

  private func askItems(_ items: [Int64], of list: Int64) {
    asked.append { _ in }
    let layout = LogTable.changes.layout
    let columns = layout.columnNames(layout.columns.count)
    ask(
      """
      SELECT \(columns) FROM (
        SELECT value AS number FROM unnest($2::bigint[]) AS asked (value)
        UNION
        SELECT coalesce(newest.new_content, newest.change)
        FROM unnest($2::bigint[]) AS asked (value) CROSS JOIN LATERAL (
          SELECT change, new_content FROM \(name(.changes))
          WHERE list_id = $1 AND item = asked.value ORDER BY change DESC LIMIT 1) AS newest
      ) AS asked CROSS JOIN LATERAL (
        SELECT * FROM \(name(.changes)) WHERE list_id = $1 AND change = asked.number OFFSET 0
      ) AS found
      """, [.integer(list), .integers(items)], layout, layout.columns.count
    ) { [self] in cache.add($0, of: .changes) }
  }

  /// Queues a query for the numbers of contents. The answer names each content by its position,
  /// from 1 on.
  private func ask(_ contents: [ItemContent], in list: Int64, newest count: Int) {
    let missing = contents.filter { cache.contentNumber($0, in: list) == nil }
    if missing.isEmpty { return }
    asked.append { cache in for content in missing { cache.begin(content, in: list) } }
    connection.ask(
      """
      SELECT asked.position, coalesce(
        (SELECT change FROM \(name(.changes)) WHERE list_id = $1 AND change = asked.item
          AND content = asked.content),
        (SELECT change FROM (
          SELECT change, content FROM \(name(.changes)) WHERE list_id = $1 AND item = asked.item
          ORDER BY change DESC LIMIT \(count)) AS newest
        WHERE newest.content = asked.content LIMIT 1))
      FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS asked (item, content, position)
      """,
      [.integer(list), .integers(missing.map(\.item)), .byteArrays(missing.map(\.content))],
      atMost: missing.count
    ) { [self] row in
      guard let number = row.optionalInteger(1) else { return }
      cache.add(number, of: missing[Int(row.integer(0)) - 1], in: list)
    }
  }
}
