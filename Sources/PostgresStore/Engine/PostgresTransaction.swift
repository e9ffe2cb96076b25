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
  var cache = RowCache()
  /// The changes of the cache that are due before the announced queries are answered, one for each
  /// query.
  var announced: [(inout RowCache) -> Void] = []
  var pending: PendingRows?
  /// A new row of `versions`, by which to find out whether this transaction was kept.
  private(set) var proof: StoredRow?

  init(_ connection: Connection, schema: String, _ memory: ListKeyMemory, _ buckets: Buckets) {
    (self.connection, self.schema, self.memory) = (connection, schema, memory)
    self.buckets = buckets
  }

  var seesOneState: Bool { !buckets.isDistributed }

  func name(_ table: LogTable) -> String { "\(schema).\(table.layout.name)" }

  // MARK: Reading

  func rows(in range: RowRange, _ receive: (LogRow) throws -> Bool) throws {
    limitCache()
    if cache.rows(in: range) == nil { try flushAnnounced() }
    if let rows = cache.rows(in: range) {
      for row in rows {
        guard try row.withRow(upTo: range.columnCount, receive) else { return }
      }
      return
    }
    let (sql, values) = query(for: range)
    let cells = ResultCells(range.order.table.layout, range.columnCount)
    var wantsMore = true
    var (kept, keptByteCount): ([StoredRow]?, Int) = ([], 0)
    try settled().query(sql, values, atMost: range.limit) { row in
      guard wantsMore else { return }
      let row = cells.row(row)
      if range.order == .key(.names) { remember(StoredRow(row)) }
      keptByteCount += row.byteCount
      if let count = kept?.count, count < Self.keptRowCount, keptByteCount <= Self.keptByteCount {
        kept?.append(StoredRow(row))
      } else {
        kept = nil
      }
      wantsMore = try receive(row)
    }
    guard wantsMore, let kept else { return }
    cache.begin(range)
    for row in kept { cache.add(row, to: range) }
  }

  /// The largest numbers of rows and bytes of an answer that the cache keeps. Short answers are
  /// often needed again.
  private static let (keptRowCount, keptByteCount) = (512, 1 << 22)

  /// Empties the cache of a long transaction, which would otherwise need more and more memory.
  private func limitCache() {
    if announced.isEmpty, cache.byteCount > Self.cacheByteCount { cache.removeAll() }
  }

  private static let cacheByteCount = 32 << 20

  func query(for range: RowRange) -> (sql: String, values: [Value]) {
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
    limitCache()
    let count = includesData ? table.layout.columns.count : table.layout.coveredColumnCount
    if keys.contains(where: { !cache.has($0, of: table, columnCount: count) }) {
      try flushAnnounced()
    }
    var missing: [RowKey: [Int]] = [:]
    for (position, key) in keys.enumerated() {
      if cache.has(key, of: table, columnCount: count) {
        try cache.row(key, of: table)??.withRow(upTo: count) { try receive(position, $0) }
      } else {
        missing[key, default: []].append(position)
      }
    }
    if missing.isEmpty { return }
    let connection = try settled()
    let cells = ResultCells(table.layout, count)
    let isKept = missing.count <= Self.keptRowCount
    if isKept { for key in missing.keys { cache.begin(key, of: table) } }
    try withoutActuallyEscaping(receive) { receive in
      for (list, keys) in Dictionary(grouping: missing.keys, by: \.list) {
        let (sql, values) = query(for: table, list, keys.map(\.number), columnCount: count)
        connection.queueQuery(sql, values, atMost: keys.count) { [self] row in
          let row = cells.row(row)
          let key = RowKey(
            list: list, number: table.layout.keyColumnCount == 1 ? 0 : row.integer(1))
          guard let positions = missing[key] else { return }
          if isKept { cache.add(StoredRow(row), of: table) }
          for position in positions { try receive(position, row) }
        }
      }
      try connection.flush()
    }
  }

  /// Returns a query for rows of a list by their numbers. Near numbers are read as ranges, so the
  /// answer may also have rows between them. Without `OFFSET 0`, a planner without statistics of a
  /// new list would read all rows of the list.
  func query(
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

  func idDigestSum(of list: Int64) throws -> Int64 {
    if cache.idDigestSums[list] == nil {
      try flushAnnounced()
      try prepare([.idDigestSum(list: list)])
      try flushAnnounced()
    }
    return cache.idDigestSums[list] ?? 0
  }

  /// Reads the lists that changed after a mark. Each row of `marks` numbers its own transactions.
  /// The mark's origin is the number of connections opened for readers, since a new connection may
  /// lead to another server with other content.
  func changedLists(after mark: ChangeToken?) throws -> (mark: ChangeToken, changes: ChangedLists?)
  {
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
      ChangeToken(counts: counts, origin: origin), isComplete ? lists.map { ChangedLists($0) } : nil
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
    cache.removeAll(of: range.order.table)
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

  /// Locks the row of a list, and empties the cache: rows that were read before the lock may be
  /// old.
  func lock(_ list: Int64) throws -> Bool {
    let connection = try settled()
    cache.removeAll()
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

  // MARK: The directory

  func rememberedKey(of name: String) -> Int64? { memory.key(of: name) }

  /// Remembers the key of a list from a row of the directory, unless this transaction has written.
  /// Then the row may be a new one of this transaction. Another writer that uses its key would find
  /// no row to lock.
  func remember(_ row: StoredRow) {
    if connection.hasWritten { return }
    row.withRow(upTo: 2) { memory.remember($0.integer(1), of: $0.text(0)) }
  }
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
