import ListModel
import ListStore
import Synchronization

/// A storage engine in memory: the example of `AddingAnEngine.md`.
///
/// A transaction that writes works on a copy of the tables, which takes the place of the original
/// when the transaction ends.
package final class MemoryStore: Engine {
  fileprivate struct State: Sendable {
    var tables = LogTable.allCases.map { _ in [MemoryRow]() }
    /// The lists that each transaction changed, oldest first.
    var changes: [Set<Int64>] = []
    var commitCount = 0
    /// The room on the disk that the engine has; nil if it cannot know it.
    var freeByteCount: Int?
  }

  private let state = Mutex(State())
  /// One writer at a time.
  private let writing = AsyncSemaphore(count: 1)

  package init() {}

  package func readRows<Result: Sendable>(
    _ body: @Sendable (any EngineReader) throws -> Result
  ) async throws -> Result {
    try body(MemoryTransaction(state.withLock { $0 }))
  }

  package func writeRows<Result: Sendable>(
    _ body: @Sendable (any EngineWriter) throws -> Result
  ) async throws -> Result {
    try await writing.run { try write(body) }
  }

  package func writeRowsIfFree(_ body: @Sendable (any EngineWriter) throws -> Void) async {
    await writing.runIfFree { try? write(body) }
  }

  private func write<Result>(_ body: (any EngineWriter) throws -> Result) throws -> Result {
    let transaction = MemoryTransaction(state.withLock { $0 })
    let result = try body(transaction)
    transaction.state.commitCount += 1
    state.withLock { $0 = transaction.state }
    return result
  }

  /// Says from now on that the disk has this much room.
  package func setRoom(_ byteCount: Int?) { state.withLock { $0.freeByteCount = byteCount } }

  package func dataVersion() async throws -> DataVersion {
    DataVersion(state.withLock { $0.commitCount })
  }
}

private struct MemoryRow: Sendable {
  let key: [LogValue]
  let row: StoredRow
}

private final class MemoryTransaction: EngineWriter {
  fileprivate var state: MemoryStore.State

  init(_ state: MemoryStore.State) { self.state = state }

  private func table(_ table: LogTable) -> [MemoryRow] { state.tables[table.rawValue] }

  /// The position of a key in a table, or where it would be.
  private func position(of key: [LogValue], in table: LogTable) -> (Int, isFound: Bool) {
    let rows = self.table(table)
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return (low, low < rows.count && rows[low].key == key)
  }

  func hasRoom(for byteCount: Int) -> Bool { state.freeByteCount.map { $0 >= byteCount } ?? true }

  // MARK: Reading

  func rows(
    of table: LogTable, _ keys: [RowKey], includesData: Bool,
    _ receive: (_ position: Int, LogRow) throws -> Void
  ) throws {
    let layout = table.layout
    let columnCount = includesData ? layout.columns.count : layout.coveredColumnCount
    for (number, key) in keys.enumerated() {
      let values: [LogValue] = [.integer(key.list), .integer(key.number)]
      let found = position(of: Array(values.prefix(layout.keyColumnCount)), in: table)
      guard found.isFound else { continue }
      try self.table(table)[found.0].row.withRow(upTo: columnCount) { try receive(number, $0) }
    }
  }

  func rows(in range: RowRange, _ receive: (LogRow) throws -> Bool) throws {
    let columns = range.order.columns
    func values(_ row: MemoryRow) -> [LogValue] { columns.map { row.row.values[$0] } }
    var found = table(range.order.table).filter { range.contains(values($0)) }
    found.sort { values($0).lexicographicallyPrecedes(values($1)) }
    if range.isDescending { found.reverse() }
    for row in found.prefix(range.limit ?? .max) {
      guard try row.row.withRow(upTo: range.columnCount, receive) else { return }
    }
  }

  func idDigestSum(of list: Int64) throws -> Int64 {
    table(.idParts).filter { $0.key[0] == .integer(list) }.reduce(0) { sum, row in
      sum + row.row.withRow(upTo: 4) { $0.integer(LogTable.idParts.layout.digestColumn) }
    }
  }

  func changedLists(after mark: ChangeToken?) throws -> (mark: ChangeToken, changes: ChangedKeys?) {
    let now = ChangeToken(counts: [0: Int64(state.changes.count)], origin: 0)
    guard let before = mark?.counts[0], Int64(state.changes.count) - before <= 128 else {
      return (now, nil)
    }
    let later = state.changes.dropFirst(Int(before))
    return (now, ChangedKeys(later.reduce(into: []) { $0.formUnion($1) }))
  }

  func lists(in table: LogTable) throws -> Set<Int64> {
    Set(
      self.table(table).compactMap { row in
        if case .integer(let list) = row.key[0] { list } else { nil }
      })
  }

  func integrityFaults() throws -> [String] { [] }

  func reason(ofReading error: any Error) throws -> String { "\(error)" }

  func size(of list: Int64?) throws -> StoreSize {
    func rows(_ table: LogTable) -> [StoredRow] {
      self.table(table).filter { list == nil || $0.key[0] == .integer(list ?? 0) }.map(\.row)
    }
    func byteCount(_ table: LogTable) -> Int {
      rows(table).flatMap(\.values).reduce(0) { sum, value in
        if case .bytes(let bytes) = value { sum + bytes.count } else { sum + 8 }
      }
    }
    var size = StoreSize(
      byteCounts: [
        .changes: byteCount(.segments) + byteCount(.blocks), .idIndex: byteCount(.idParts),
        .versions: byteCount(.versions), .headOrder: byteCount(.headParts),
        .checkpoints: byteCount(.checkpoints), .keptChanges: byteCount(.changeSets),
      ], isEstimate: true)
    size.listCount = list == nil ? rows(.names).count : 1
    size.versionCount = rows(.versions).count
    size.checkpointCount = rows(.checkpoints).filter { $0.values[2] == .integer(0) }.count
    size.keptChangesCount = rows(.changeSets).count
    return size
  }

  // MARK: Writing

  func insert(_ row: LogRow, into table: LogTable) throws {
    let stored = MemoryRow(StoredRow(row), in: table)
    let (position, isFound) = position(of: stored.key, in: table)
    if isFound { throw StoreError.database(reason: "a row of \(table.layout.name) is there") }
    state.tables[table.rawValue].insert(stored, at: position)
  }

  func replace(_ row: LogRow, in table: LogTable) throws {
    let stored = MemoryRow(StoredRow(row), in: table)
    let (position, isFound) = position(of: stored.key, in: table)
    if isFound { state.tables[table.rawValue].remove(at: position) }
    state.tables[table.rawValue].insert(stored, at: position)
  }

  func delete(_ range: RowRange) throws {
    state.tables[range.order.table.rawValue].removeAll { range.contains($0.key) }
  }

  func newListKey() throws -> Int64 {
    if case .integer(let last)? = table(.lists).last?.key[0] { last + 1 } else { 1 }
  }

  func record(changed lists: Set<Int64>) throws { state.changes.append(lists) }
}

extension MemoryRow {
  init(_ row: StoredRow, in table: LogTable) {
    (self.row, key) = (row, Array(row.values.prefix(table.layout.keyColumnCount)))
  }
}

extension RowRange {
  /// - Parameter values: those of a row in the columns of the order.
  fileprivate func contains(_ values: [LogValue]) -> Bool {
    guard values.starts(with: prefix), values.count > prefix.count else {
      return values == prefix
    }
    let next = values[prefix.count]
    return from.map { $0 <= next } ?? true && through.map { next <= $0 } ?? true
  }
}
