import ListModel

/// A storage engine: ordered tables of rows, and transactions. All that gives a row a meaning is
/// written once, above it, in ``ListReader`` and ``ListWriter``.
///
/// The page about adding an engine leads to a whole one.
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
    try await readRows { try body(ListReader($0)) }
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

/// What an engine is asked ahead of the readings.
public enum Query: Hashable, Sendable {
  case rows(LogTable, [RowKey])
  case range(RowRange)
  /// The first `stepChangeCount` change rows of versions of a list, and the rows that these name.
  case steps(list: Int64, ClosedRange<Int64>)
  /// Of items of a list: the change rows that introduced them, and those with their newest
  /// contents.
  case items(list: Int64, [Int64])
  case contents(list: Int64, [ItemContent], newest: Int)
  case idDigestSum(list: Int64)
}

extension Query {
  public static let stepChangeCount = 1024
}

/// A content that an item may have had: the number of the item, and the canonical bytes.
public struct ItemContent: Hashable, Sendable {
  public let item: Int64
  public let content: [UInt8]

  public init(item: Int64, content: [UInt8]) { (self.item, self.content) = (item, content) }
}

/// Readings in a transaction.
///
/// A function that gets a row must not use the engine while it runs.
public protocol EngineReader: AnyObject {
  /// Says which readings follow. An engine across a network makes them together with the next one,
  /// in one round trip, and answers them from what it found.
  func prepare(_ queries: @autoclosure () -> [Query]) throws

  /// The key that the list of a name has had when it was read last, as far as the engine remembers
  /// it; nil in an engine whose readings cost no round trip.
  func rememberedKey(of name: String) -> Int64?

  /// Reads rows by their keys, in any order.
  ///
  /// - Parameters:
  ///   - table: the table.
  ///   - keys: of a table whose keys are a list and a number, or a list alone.
  ///   - includesData: whether the data of the rows is read, too.
  ///   - receive: gets the position of a key, and its row. Not called for a key without a row.
  func rows(
    of table: LogTable, _ keys: [RowKey], includesData: Bool,
    _ receive: (_ position: Int, LogRow) throws -> Void
  ) throws

  /// Reads a range of rows in its order.
  ///
  /// - Parameters:
  ///   - range: the rows.
  ///   - receive: returns whether to go on.
  func rows(in range: RowRange, _ receive: (LogRow) throws -> Bool) throws

  /// The sum of the digests of the rows of `id_parts` of a list.
  func idDigestSum(of list: Int64) throws -> Int64

  /// Looks contents up that items of a list may have had.
  ///
  /// - Parameters:
  ///   - contents: items and their possible contents.
  ///   - list: their list.
  ///   - count: how many of the item's newest changes are searched, beside the one that introduced
  ///     it.
  /// - Returns: for each, the number of the change row that has this content; nil without one.
  func contentNumbers(
    of contents: [ItemContent], in list: Int64, newest count: Int
  ) throws -> [Int64?]

  /// The numbers of changed lists that were recorded after a mark. See
  /// ``ListReader/changedLists(after:)``.
  func changedLists(after mark: HeadMark?) throws -> (mark: HeadMark, changes: ChangedLists?)

  /// The lists that rows of a table belong to.
  func lists(in table: LogTable) throws -> Set<Int64>

  /// The findings of the engine's own check, such as broken trees and missing parts of the schema.
  func integrityFaults() throws -> [String]

  /// See ``ListReader/reason(ofReading:)``.
  func reason(ofReading error: any Error) throws -> String

  /// The number of bytes and rows of a list; of the whole store if nil.
  func size(of list: Int64?) throws -> StoreSize

  /// Whether all readings of a transaction belong to one state of the store, and not to one of each
  /// machine that has a part of it.
  var seesOneState: Bool { get }
}

/// Writings in a transaction.
public protocol EngineWriter: EngineReader {
  /// Stores a row.
  ///
  /// - Throws: an error if there is a row with its key.
  func insert(_ row: LogRow, into table: LogTable) throws

  /// Stores a row in place of the one with its key, if there is one.
  func replace(_ row: LogRow, in table: LogTable) throws

  /// Stores the row of a list in place of the one that it has.
  ///
  /// - Throws: `StoreError.headMoved` if it has another one than the old row; perhaps only when the
  ///   transaction ends.
  func replaceList(_ old: StoredRow, with new: StoredRow) throws

  /// Deletes the rows of a range in the order of keys, which has no limit.
  func delete(_ range: RowRange) throws

  /// A key that no list of the store has. A list that is dropped keeps its row, so no key is ever
  /// given again.
  func newListKey() throws -> Int64

  /// Records at the end of a transaction which lists it changed; 0 stands for what belongs to no
  /// list.
  func record(changed lists: Set<Int64>) throws

  /// Makes other writers of a list wait until this transaction ends.
  ///
  /// - Returns: whether one of them may have written since this transaction began. An engine with
  ///   one writer at a time has nothing to do.
  func lock(_ list: Int64) throws -> Bool

  /// Tells how to find out later whether this transaction was kept, if the connection should be
  /// lost during its commit.
  func setProof(_ isKept: @escaping @Sendable (any EngineWriter) throws -> Bool)
}

extension EngineReader {
  public var seesOneState: Bool { true }
  public func prepare(_ queries: @autoclosure () -> [Query]) throws {}
  public func rememberedKey(of name: String) -> Int64? { nil }
}

extension EngineWriter {
  /// As it is in an engine with one writer at a time.
  public func replaceList(_ old: StoredRow, with new: StoredRow) throws {
    var isThere = false
    let key = old.withRow(upTo: 1) { RowKey(list: $0.integer(0)) }
    try rows(of: .lists, [key], includesData: true) { isThere = StoredRow($1) == old }
    guard isThere else { throw StoreError.headMoved }
    try new.withRow(upTo: new.values.count) { try replace($0, in: .lists) }
  }

  public func lock(_ list: Int64) throws -> Bool { false }
  public func setProof(_ isKept: @escaping @Sendable (any EngineWriter) throws -> Bool) {}
}
