import ListModel

/// A reader of the log in one transaction of an engine. It makes records from rows, and checks the
/// digests of the rows.
public class ListReader {
  let engine: any EngineReader
  private let flag: CancellationFlag?
  private let limit: ReadingLimit?
  /// The rows of lists that were read, with the changes of this transaction.
  var listRows: [ListKey: ListRow] = [:]
  /// The parts of heads that were read, for ``willFindPlaces(of:in:)``.
  var headParts: [ListKey: [HeadOrder.Part]] = [:]
  /// The numbers of the first changes of versions, as far as checkpoints record them.
  var firstChanges: [ListKey: [Version: Int64]] = [:]
  /// The segments of lists that were read.
  var segments: [ListKey: [Segment]] = [:]
  /// The first changes of steps that were read, by the first one of each block.
  var starts: [ListKey: [Int64: [Int64]]] = [:]
  /// The blocks of contents that were read last.
  var lastBlocks = BlockCache()
  /// The rows of the block of steps that was read last.
  var lastSteps: (list: ListKey, block: Int64, rows: [ChangeRow])?
  /// The lists whose table of ids was compared with the recorded sum of its digests.
  var listsWithComparedIDs: Set<ListKey> = []

  /// - Parameters:
  ///   - engine: the engine's transaction.
  ///   - flag: ends the readings when their task is cancelled.
  ///   - limit: bounds their cost.
  init(
    _ engine: any EngineReader, _ flag: CancellationFlag? = nil, _ limit: ReadingLimit? = nil
  ) {
    (self.engine, self.flag, self.limit) = (engine, flag, limit)
  }

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
    try engine.rows(in: range) { row in
      try spend(row.cost)
      try table.check(row)
      return try receive(row)
    }
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
    if keys.isEmpty { return }
    try engine.rows(of: table, keys, includesData: includesData) { position, row in
      try spend(row.cost)
      try table.check(row)
      try receive(position, row)
    }
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
  ///   - queries: the readings of the list that will follow.
  public func list(_ name: ListName, for queries: [ListQuery] = []) throws -> ListRecord? {
    let remembered = engine.rememberedKey(of: name.text).map(ListKey.init)
    try remembered.map { try prepare(name, $0, for: queries) } ?? prepare(name)
    guard let key = try key(of: name) else { return nil }
    if key != remembered { try prepare(name, key, for: queries) }
    return try list(key, named: name)
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
