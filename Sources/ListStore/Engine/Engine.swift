import ListModel

/// A storage engine: ordered tables of rows, and transactions. An engine does not know the meaning
/// of the rows: ``ListReader`` and ``ListWriter`` interpret them, for all engines.
///
/// <doc:AddingAnEngine> shows how an engine is written.
public protocol Engine: ListStore {
  /// Runs a body on one state of the store. Readers do not wait for writers.
  func readRows<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result

  /// Runs a body that may write. When this returns, all writes are on the disk; when it throws,
  /// none is kept. The body may run again after a conflict with another writer.
  func writeRows<Result: Sendable>(
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) async throws -> Result

  /// Runs a body as ``writeRows(_:)`` does, if nobody else is writing; otherwise does nothing.
  /// Errors are dropped.
  func writeRowsIfFree(_ body: @Sendable (any EngineWriter) throws -> Void) async
}

extension Engine {
  public func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    let limit = ReadingLimit.current
    return try await CancellationFlag.watching { flag in
      do {
        return try await readRows { try body(ListReader($0, flag, limit)) }
      } catch {
        // An engine may report an interrupted query in its own words.
        try flag.check()
        throw error
      }
    }
  }

  public func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await writeRows { try ListWriter.run(on: $0, body) }
  }

  public func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await writeRowsIfFree { try ListWriter.run(on: $0, body) }
  }
}

/// One of several readings that an engine makes together.
public enum RowQuery: Sendable {
  /// Rows by their keys, with their data. The keys of the table must be a list and a number, or a
  /// list alone.
  case rows(LogTable, [RowKey])
  case range(RowRange)
  /// The sum of the digests of a list's rows of `id_parts`, as a row of one integer.
  case idDigestSum(list: Int64)

  /// The table of the rows; nil for a sum.
  var table: LogTable? {
    switch self {
    case .rows(let table, _): table
    case .range(let range): range.order.table
    case .idDigestSum: nil
    }
  }
}

/// The reading functions of a transaction.
///
/// A closure that receives a row must not use the engine.
public protocol EngineReader: AnyObject {
  /// The keys of lists that the store remembers, if each query costs a round trip; nil in an engine
  /// without round trips. With such keys, a list is read in the round trip that finds its name.
  var listKeys: ListKeyMemory? { get }

  /// Makes several queries. An engine across a network makes them in one round trip.
  ///
  /// - Parameters:
  ///   - queries: the queries.
  ///   - receive: receives the position of a query, and a row of its answer. The answers come in
  ///     the order of the queries.
  func rows(
    for queries: [RowQuery], _ receive: (_ query: Int, LogRow) throws -> Void
  ) throws

  /// Reads rows by their keys, in any order.
  ///
  /// - Parameters:
  ///   - table: the table.
  ///   - keys: the keys. The keys of the table must be a list and a number, or a list alone.
  ///   - includesData: whether the data of the rows is read, too.
  ///   - receive: receives the position of a key, and its row; not called for a key without a row.
  func rows(
    of table: LogTable, _ keys: [RowKey], includesData: Bool,
    _ receive: (_ position: Int, LogRow) throws -> Void
  ) throws

  /// Reads a range of rows in its order.
  ///
  /// - Parameters:
  ///   - range: the rows.
  ///   - receive: receives a row, and returns whether to continue.
  func rows(in range: RowRange, _ receive: (LogRow) throws -> Bool) throws

  /// Returns the sum of the digests of a list's rows of `id_parts`.
  func idDigestSum(of list: Int64) throws -> Int64

  /// Returns the changes that were recorded after a mark. See ``ListReader/changedLists(after:)``.
  func changedLists(after mark: ChangeToken?) throws -> (mark: ChangeToken, changes: ChangedKeys?)

  /// Returns the lists that the rows of a table belong to.
  func lists(in table: LogTable) throws -> Set<Int64>

  /// Runs the engine's own check, and returns its findings, such as broken trees and missing parts
  /// of the schema.
  func integrityFaults() throws -> [String]

  /// Returns the text of an error, as ``ListReader/reason(ofReading:)`` does.
  func reason(ofReading error: any Error) throws -> String

  /// Returns the numbers of bytes and rows of a list, or of the whole store if the list is nil.
  func size(of list: Int64?) throws -> StoreSize

  /// Whether all readings of a transaction see one state of the store. Otherwise they see one state
  /// of each machine that has a part of it.
  var seesOneState: Bool { get }
}

/// Which unused space goes back to the system.
public enum UnusedSpace: Sendable {
  case all
  /// The space that exceeds a small share of the store.
  case surplus
  /// The same, if this transaction has deleted rows.
  case surplusAfterDeletion
}

/// The writing functions of a transaction.
public protocol EngineWriter: EngineReader {
  /// Stores a row.
  ///
  /// - Throws: an error if there is a row with its key.
  func insert(_ row: LogRow, into table: LogTable) throws

  /// Stores a row, and replaces the row with the same key if there is one.
  func replace(_ row: LogRow, in table: LogTable) throws

  /// Replaces the stored row of a list by a new one.
  ///
  /// - Throws: `StoreError.headMoved` if the stored row is not the old one. An engine may throw
  ///   this only when the transaction ends.
  func replaceList(_ old: StoredRow, with new: StoredRow) throws

  /// Deletes the rows of a range. The range must be in the order of keys, and have no limit.
  func delete(_ range: RowRange) throws

  /// Returns a key that no list of the store has or had. A dropped list keeps its row, so no key is
  /// given to two lists.
  func newListKey() throws -> Int64

  /// Records, at the end of a transaction, which lists it changed; 0 stands for tokens and retired
  /// lists.
  func record(changed lists: Set<Int64>) throws

  /// Returns whether the disk has room for some bytes; true if the engine cannot know it.
  func hasRoom(for byteCount: Int) throws -> Bool

  /// Returns some unused space to the system, a bounded amount in a transaction. An engine that
  /// does so by itself does nothing.
  ///
  /// - Returns: whether there is more to return.
  func release(_ space: UnusedSpace) throws -> Bool

  /// Makes other writers of a list wait until this transaction ends.
  ///
  /// - Returns: whether one of them may have written since this transaction began. An engine with
  ///   one writer at a time does nothing, and returns false.
  func lock(_ list: Int64) throws -> Bool

  /// Sets a row of `versions`, inserted by this transaction, that tells whether the transaction was
  /// kept, for the case that the connection is lost during its commit.
  func setProof(_ version: StoredRow)
}

extension EngineReader {
  public var seesOneState: Bool { true }
  public var listKeys: ListKeyMemory? { nil }

  /// Makes one query after the other.
  public func rows(
    for queries: [RowQuery], _ receive: (_ query: Int, LogRow) throws -> Void
  ) throws {
    for (position, query) in queries.enumerated() {
      switch query {
      case .rows(let table, let keys):
        try rows(of: table, keys, includesData: true) { try receive(position, $1) }
      case .range(let range):
        try rows(in: range) { row in
          try receive(position, row)
          return true
        }
      case .idDigestSum(let list):
        let sum = StoredRow([.integer(try idDigestSum(of: list))])
        try sum.withRow(upTo: 1) { try receive(position, $0) }
      }
    }
  }
}

extension EngineWriter {
  /// Compares and replaces the row in two steps, which is enough in an engine with one writer at a
  /// time.
  public func replaceList(_ old: StoredRow, with new: StoredRow) throws {
    var isThere = false
    let key = old.withRow(upTo: 1) { RowKey(list: $0.integer(0)) }
    try rows(of: .lists, [key], includesData: true) { isThere = StoredRow($1) == old }
    guard isThere else { throw StoreError.headMoved }
    try new.withRow(upTo: new.values.count) { try replace($0, in: .lists) }
  }

  public func hasRoom(for byteCount: Int) throws -> Bool { true }
  public func release(_ space: UnusedSpace) throws -> Bool { false }
  public func lock(_ list: Int64) throws -> Bool { false }
  public func setProof(_ version: StoredRow) {}
}
