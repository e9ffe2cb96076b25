import ListModel

/// A reader of the log in one transaction of an engine. It makes records from rows, and checks the
/// digests of the rows.
///
/// This file reads rows. The other parts are extensions: `ListReader+Lists` and `ListQuery` (lists
/// by name), `+Versions`, `+Changes` (steps, and the changes of one item), `+Texts` (ids and
/// contents by key), `+IDs` (keys by id), `+Orders` (the head, and checkpoints), `+Kept` (kept
/// changes, tags, prunings, imports, tokens), `+Check` (the rules of `verify`), `StepPlan` (the
/// rows of the next version), and the folder `Segments`. The target `SyncService` has those of the
/// use cases: `ListReader+Resolve` (revisions), `+Snapshot`, `+Delta`, `+Changes` (texts in place
/// of keys) and `+Batches`. Only ``ListWriter`` locks lists.
public class ListReader {
  let engine: any EngineReader
  private let flag: CancellationFlag?
  private let limit: ReadingLimit?
  /// The parts of lists that were read.
  var openedLists: [ListKey: OpenedList] = [:]
  private(set) var ahead = RowsAhead()
  /// Whether the keys of names are remembered. A transaction that writes may read names that nobody
  /// else will see.
  private let remembersKeys: Bool

  /// - Parameters:
  ///   - engine: the engine's transaction.
  ///   - flag: ends the readings when their task is cancelled.
  ///   - limit: bounds their cost.
  ///   - remembersKeys: whether the keys of names are remembered.
  init(
    _ engine: any EngineReader, _ flag: CancellationFlag? = nil, _ limit: ReadingLimit? = nil,
    remembersKeys: Bool = true
  ) {
    (self.engine, self.flag, self.limit) = (engine, flag, limit)
    self.remembersKeys = remembersKeys
  }

  func opened(_ list: ListKey) -> OpenedList {
    if let found = openedLists[list] { return found }
    let new = OpenedList()
    openedLists[list] = new
    return new
  }

  /// Called before rows are read that must agree with others. In a transaction that writes, others
  /// may change a list between two readings, unless it is locked.
  func assertSeesOneState(of list: ListKey) {}

  /// Counts what a reading costs. Whatever reads many rows or blocks calls this often.
  ///
  /// - Throws: `CancellationError` if the task of the reading was cancelled;
  ///   `ReadingLimit.Exceeded`.
  func spend(_ cost: Int) throws {
    try flag?.check()
    try limit?.spend(cost)
  }

  /// Passes rows to a receiver until it returns false. Checks each row.
  func visit(_ range: RowRange, _ receive: (LogRow) throws -> Bool) throws {
    let table = range.order.table
    func pass(_ row: LogRow) throws -> Bool {
      try spend(row.cost)
      try table.check(row)
      return try receive(row)
    }
    guard let rows = ahead.rows(in: range) else { return try engine.rows(in: range, pass) }
    for row in rows where try !row.withRow(upTo: range.columnCount, pass) { return }
  }

  /// In an engine across a network, makes queries in one round trip, and keeps their rows until
  /// they are read.
  func readAhead(_ queries: @autoclosure () throws -> [RowQuery]) throws {
    guard engine.listKeys != nil else { return }
    let missing = try queries().compactMap { ahead.missing(of: $0) }
    if missing.isEmpty { return }
    ahead.begin(missing)
    try engine.rows(for: missing) { ahead.add(StoredRow($1), to: missing[$0]) }
  }

  /// Forgets rows that were read ahead: those of a table, or all.
  func forgetRowsAhead(of table: LogTable? = nil) {
    if ahead.isEmpty { return }
    if let table { ahead.removeAll(of: table) } else { ahead = RowsAhead() }
  }

  /// Returns the records of a range of rows.
  ///
  /// - Throws: `StoreError.corrupt` if a row is not as it was written; errors of `read`.
  func rows<Record>(_ range: RowRange, read: (LogRow) throws -> Record) throws -> [Record] {
    var records: [Record] = []
    try visit(range) { row in
      records.append(try read(row))
      return true
    }
    return records
  }

  /// Returns the first record of a range; nil if the range has no row.
  func first<Record>(_ range: RowRange, read: (LogRow) throws -> Record) throws -> Record? {
    try rows(range.limited(to: 1), read: read).first
  }

  /// Passes the rows of keys to a receiver, in any order, each with the position of its key.
  func visit(
    _ table: LogTable, _ keys: [RowKey], includesData: Bool = true,
    _ receive: (_ position: Int, LogRow) throws -> Void
  ) throws {
    func pass(_ position: Int, _ row: LogRow) throws {
      try spend(row.cost)
      try table.check(row)
      try receive(position, row)
    }
    if ahead.isEmpty {
      if !keys.isEmpty { try engine.rows(of: table, keys, includesData: includesData, pass) }
      return
    }
    let missing = try keys.indices.filter { position in
      guard let row = ahead.row(keys[position], of: table) else { return true }
      try row.withRow(upTo: row.values.count) { try pass(position, $0) }
      return false
    }
    if missing.isEmpty { return }
    let wanted = missing.count == keys.count ? keys : missing.map { keys[$0] }
    try engine.rows(of: table, wanted, includesData: includesData) { try pass(missing[$0], $1) }
  }

  /// Returns the records of keys, in the order of the keys; nil for a key without a row.
  func rows<Record>(
    of table: LogTable, _ keys: [RowKey], read: (LogRow) throws -> Record
  ) throws -> [Record?] {
    var records: [Record?] = keys.map { _ in nil }
    try visit(table, keys) { records[$0] = try read($1) }
    return records
  }

  /// Returns the list with a name; nil if there is none.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - queries: what will be read of the list.
  public func list(_ name: ListName, for queries: [ListQuery] = []) throws -> ListRecord? {
    let remembered = engine.listKeys?.key(of: name).map(ListKey.init)
    try readAhead(name, remembered, for: queries)
    guard let key = try key(of: name) else { return nil }
    if key != remembered {
      if remembersKeys { engine.listKeys?.remember(key.rawValue, of: name) }
      try readAhead(name, key, for: queries)
    }
    return try list(key, named: name, for: queries)
  }

  /// Stores the rows that a writer has not stored yet, before rows are counted or checked.
  func storePending() throws {}

  /// Whether the changes of planned versions are stored later, those of several versions together.
  func storesLater(_ list: ListKey) -> Bool { false }

  /// Stores the changes of versions that a writer has not stored yet.
  func storeChanges(of list: ListKey) throws {}

  /// The first change of a list that is not stored yet; nil if all are.
  func firstUnstored(of list: ListKey) -> Int64? { nil }
}

extension RowKey {
  init(_ list: ListKey, _ number: Int64 = 0) { self.init(list: list.rawValue, number: number) }
  init(_ list: ListKey, _ version: Version) { self.init(list, Int64(version.number)) }
  init(_ item: ItemKey) { self.init(list: item.rawValue >> 32, number: item.sequence) }
  init(_ content: ContentKey) {
    self.init(list: content.rawValue >> 32, number: content.sequence)
  }
}

extension LogValue {
  init(_ list: ListKey) { self = .integer(list.rawValue) }
  init(_ version: Version) { self.init(version.number) }
  init(_ time: Timestamp) { self = .integer(time.millisecondsSince1970) }
}
