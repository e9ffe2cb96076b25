import ListStore

/// The tables of the log in one transaction of a connection.
///
/// Every statement about a list compares the key of the list with a value, so a server that
/// distributes the tables sends the statement to one machine.
final class PostgresTransaction: EngineWriter {
  let connection: Connection
  /// The name of the schema, quoted.
  let schema: String
  private let memory: ListKeyMemory
  let buckets: Buckets
  var pending: PendingRows?
  /// A new row of `versions`, by which to find out whether this transaction was kept.
  private(set) var proof: StoredRow?

  init(_ connection: Connection, schema: String, _ memory: ListKeyMemory, _ buckets: Buckets) {
    (self.connection, self.schema, self.memory) = (connection, schema, memory)
    self.buckets = buckets
  }

  var seesOneState: Bool { !buckets.isDistributed }

  var listKeys: ListKeyMemory? { memory }

  func name(_ table: LogTable) -> String { "\(schema).\(table.layout.name)" }

  // MARK: Reading

  /// Returns the connection for a statement that must find all rows of this transaction: sends or
  /// queues the pending rows.
  func settled() throws -> Connection {
    try sendRows()
    return connection
  }

  func rows(in range: RowRange, _ receive: (LogRow) throws -> Bool) throws {
    let (sql, values) = query(for: range)
    let cells = ResultCells(range.order.table.layout, range.columnCount)
    var wantsMore = true
    try settled().query(sql, values, atMost: range.limit) { row in
      if wantsMore { wantsMore = try receive(cells.row(row)) }
    }
  }

  func rows(
    for queries: [RowQuery], _ receive: (_ query: Int, LogRow) throws -> Void
  ) throws {
    let connection = try settled()
    try withoutActuallyEscaping(receive) { receive in
      for (position, query) in queries.enumerated() {
        switch query {
        case .rows(let table, let keys):
          queue(keys, of: table, includesData: true) { try receive(position, $1) }
        case .range(let range):
          let (sql, values) = self.query(for: range)
          let cells = ResultCells(range.order.table.layout, range.columnCount)
          connection.queueQuery(sql, values, atMost: range.limit) {
            try receive(position, cells.row($0))
          }
        case .idDigestSum(let list):
          connection.queueQuery(digestSum, [.integer(list)]) { row in
            let sum = StoredRow([.integer(row.integer(0))])
            try sum.withRow(upTo: 1) { try receive(position, $0) }
          }
        }
      }
      try connection.flush()
    }
  }

  private func query(for range: RowRange) -> (sql: String, values: [Value]) {
    let (table, selection) = (range.order.table, RangeClauses(range))
    let columns = table.layout.columnNames(range.columnCount)
    return (
      "SELECT \(columns) FROM \(name(table))\(selection.condition)\(selection.end)",
      selection.values
    )
  }

  func rows(
    of table: LogTable, _ keys: [RowKey], includesData: Bool,
    _ receive: (_ position: Int, LogRow) throws -> Void
  ) throws {
    let connection = try settled()
    try withoutActuallyEscaping(receive) { receive in
      queue(keys, of: table, includesData: includesData, receive)
      try connection.flush()
    }
  }

  /// Queues the queries of rows by their keys, one for each list.
  private func queue(
    _ keys: [RowKey], of table: LogTable, includesData: Bool,
    _ receive: @escaping (_ position: Int, LogRow) throws -> Void
  ) {
    let layout = table.layout
    let count = includesData ? layout.columns.count : layout.coveredColumnCount
    var positions: [RowKey: [Int]] = [:]
    for (position, key) in keys.enumerated() { positions[key, default: []].append(position) }
    let cells = ResultCells(layout, count)
    for (list, keys) in Dictionary(grouping: positions.keys, by: \.list) {
      let (sql, values) = query(for: table, list, keys.map(\.number), columnCount: count)
      connection.queueQuery(sql, values, atMost: keys.count) { row in
        let row = cells.row(row)
        let number = layout.keyColumnCount == 1 ? 0 : row.integer(1)
        for position in positions[RowKey(list: list, number: number)] ?? [] {
          try receive(position, row)
        }
      }
    }
  }

  /// Returns a query for rows of a list by their numbers. Near numbers are read as ranges, so the
  /// answer may also have rows between them. Without `OFFSET 0`, a planner without statistics of a
  /// new list would read all rows of the list.
  private func query(
    for table: LogTable, _ list: Int64, _ numbers: [Int64], columnCount: Int
  ) -> (sql: String, values: [Value]) {
    let columns = table.layout.columnNames(columnCount)
    if table.layout.keyColumnCount == 1 {
      return ("SELECT \(columns) FROM \(name(table)) WHERE list_id = $1", [.integer(list)])
    }
    var (starts, ends): ([Int64], [Int64]) = ([], [])
    for number in numbers.sorted() {
      if let last = ends.last, number - last <= Self.widestStep {
        ends[ends.count - 1] = number
      } else {
        starts.append(number)
        ends.append(number)
      }
    }
    return (
      """
      SELECT \(columns) FROM unnest($2::bigint[], $3::bigint[]) AS asked (first, last)
      CROSS JOIN LATERAL (
        SELECT * FROM \(name(table)) WHERE list_id = $1
          AND \(table.layout.columns[1].name) BETWEEN asked.first AND asked.last OFFSET 0) AS found
      """, [.integer(list), .integers(starts), .integers(ends)]
    )
  }

  /// The largest distance between two numbers at which reading the rows between them costs less
  /// than another search.
  private static let widestStep: Int64 = 2

  func idDigestSum(of list: Int64) throws -> Int64 { try number(digestSum, [.integer(list)]) ?? 0 }

  private var digestSum: String {
    "SELECT coalesce(sum(digest), 0)::bigint FROM \(name(.idParts)) WHERE list_id = $1"
  }

  /// Reads the lists that changed after a mark. Each row of `marks` numbers its own transactions.
  /// The mark's origin is the number of connections opened for readers, since a new connection may
  /// lead to another server with other content.
  func changedLists(after mark: ChangeToken?) throws -> (mark: ChangeToken, changes: ChangedKeys?) {
    let origin = Int64(connection.counter.readerCount)
    let known = mark?.origin == origin ? mark?.counts : nil
    var counts: [Int64: Int64] = [:]
    var lists: Set<Int64>? = known == nil ? nil : []
    // One statement, since each machine answers for its own rows.
    try settled().query(
      """
      SELECT slot, number, CASE WHEN number IS DISTINCT FROM
        ($2::bigint[])[array_position($1::bigint[], slot)] THEN changed END
      FROM \(schema).marks
      """,
      [
        .integers(known.map { Array($0.keys) } ?? []),
        .integers(known.map { Array($0.values) } ?? []),
      ]
    ) { row in
      let (slot, number) = (row.integer(0), row.integer(1))
      counts[slot] = number
      guard let known, !row.isNull(2) else { return }
      let changed = ChangeRecord.lists(
        row.withBytes(2) { Array($0) }, after: known[slot] ?? 0, to: number)
      lists = changed.flatMap { lists?.union($0) }
    }
    let isComplete = known?.keys.allSatisfy { counts[$0] != nil } ?? false
    return (
      ChangeToken(counts: counts, origin: origin), isComplete ? lists.map { ChangedKeys($0) } : nil
    )
  }

  func lists(in table: LogTable) throws -> Set<Int64> {
    var lists: Set<Int64> = []
    try settled().query("SELECT DISTINCT list_id FROM \(name(table))") {
      lists.insert($0.integer(0))
    }
    return lists
  }

  /// Returns no faults: the server's own check of its files is `pg_amcheck`, which only its owner
  /// may run.
  func integrityFaults() throws -> [String] { [] }

  func reason(ofReading error: any Error) throws -> String {
    guard let error = error as? ServerError else { return "\(error)" }
    let told = StoreError(error, store: "the store")
    switch told {
    case .corrupt, .inputOutput, .database: return "\(told)"
    default: throw error
    }
  }

  /// Returns the number that a query returns; nil if it returns no row.
  func number(_ sql: String, _ values: [Value] = []) throws -> Int64? {
    var number: Int64?
    try settled().query(sql, values) { number = $0.optionalInteger(0) }
    return number
  }

  /// Returns the number of transactions that have written to the store. See ``finish()``.
  func commitCount() throws -> Int64 {
    try number("SELECT coalesce(sum(number), 0)::bigint FROM \(schema).marks") ?? 0
  }

  // MARK: Writing

  func delete(_ range: RowRange) throws {
    let connection = try settled()
    let selection = RangeClauses(range)
    connection.queue(
      "DELETE FROM \(name(range.order.table))\(selection.condition)", selection.values)
  }

  /// Returns a random key. If keys were given in order, two transactions could choose the same one.
  /// If another list has or had the key, the table refuses it, and the transaction runs again.
  func newListKey() throws -> Int64 {
    hasNewList = true
    return .random(in: 1...ListKey.largest)
  }

  func record(changed lists: Set<Int64>) throws { changed = lists }

  private var changed: Set<Int64> = []
  private var lastLocked: Int64 = 0
  private var hasNewList = false

  /// Queues the last rows, to be sent with the next statement. If this transaction has written,
  /// counts it, and records which lists it changed.
  ///
  /// The count of all transactions is the sum over the rows of `marks`. A transaction increases one
  /// row, chosen at random, in the bucket of each list that it changed. It locks this row only
  /// while it ends, so no writer waits while a writer of another list works.
  func finish() throws {
    let connection = try settled()
    guard connection.hasWritten else { return }
    // Before COMMIT is sent, others wait for this transaction: see `wasCommitted(_:)`.
    if hasNewList { try connection.flush() }
    var lists = Dictionary(grouping: changed, by: buckets.bucket(of:))
    if lists.isEmpty { lists[buckets.bucket(of: lastLocked)] = [] }
    for (bucket, lists) in lists.sorted(by: { $0.key < $1.key }) {
      connection.queue(
        """
        INSERT INTO \(schema).marks AS mark (bucket, slot, number, changed)
        VALUES ($1, $2, 1, substr(int8send(-1) || $3, 1, \(ChangeRecord.byteCount)))
        ON CONFLICT (bucket, slot) DO UPDATE SET number = mark.number + 1, changed = substr(
          int8send(-1 - mark.number) || $3 || mark.changed, 1, \(ChangeRecord.byteCount))
        """,
        [
          .integer(bucket), .integer(bucket + .random(in: 0..<Buckets.slotCount)),
          .bytes(lists.sorted().flatMap(\.bigEndianBytes)),
        ])
    }
  }

  /// Locks the row of a list, with the next query.
  func lock(_ list: Int64) throws -> Bool {
    let connection = try settled()
    lastLocked = list
    connection.queueQuery(
      "SELECT 1 FROM \(name(.lists)) WHERE list_id = $1 FOR UPDATE", [.integer(list)]
    ) { _ in }
    return true
  }

  func setProof(_ version: StoredRow) { proof = version }

  /// Returns whether the transaction that inserted a version was kept. Inserts the version, so the
  /// caller must undo this transaction.
  func wasCommitted(_ version: StoredRow) throws -> Bool {
    guard case .integer(let list) = version.values.first else { return false }
    // Waits until the other transaction has ended: here, if it has locked the list; below, if it
    // has created the list, whose row nobody else sees yet, and inserted this version.
    _ = try lock(list)
    let insertion = "\(insertion(into: .versions)) ON CONFLICT DO NOTHING RETURNING 1"
    if try number(insertion, version.values.map { Value($0) }) != nil { return false }
    let layout = LogTable.versions.layout
    // Since then, others may have changed the row, but never its chain.
    let proving = ["list_id", "version", "chain"]
    let values = zip(layout.columns, version.values).filter { proving.contains($0.0.name) }
    let condition = values.enumerated().map { "\($1.0.name) = $\($0 + 1)" }
    return try number(
      "SELECT 1 FROM \(name(.versions)) WHERE \(condition.joined(separator: " AND "))",
      values.map { Value($0.1) }) != nil
  }
}
