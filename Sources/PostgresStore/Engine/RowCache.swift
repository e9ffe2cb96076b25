import ListStore

/// The rows that a transaction has read, many of them before they are needed.
///
/// A transaction sees one state: that of its snapshot, or of the lists that it has locked. So a row
/// stays valid until the transaction itself writes.
struct RowCache {
  /// The approximate number of bytes that the rows take in memory.
  private(set) var byteCount = 0
  /// Rows by their keys; nil for a key without a row.
  private var rows: [LogTable: [RowKey: StoredRow?]] = [:]
  private var ranges: [RowRange: [StoredRow]] = [:]

  /// The largest number of keys that are looked up one by one to answer a range.
  private static let widestRange: Int64 = 4096

  // MARK: Answers

  func row(_ key: RowKey, of table: LogTable) -> StoredRow?? { rows[table]?[key] }

  /// Returns whether the row of a key is known with this many columns, or is known not to exist.
  func has(_ key: RowKey, of table: LogTable, columnCount: Int) -> Bool {
    guard let known = row(key, of: table) else { return false }
    return known.map { $0.values.count >= columnCount } ?? true
  }

  func rows(in range: RowRange) -> [StoredRow]? {
    if let found = ranges[range] ?? ranges[range.withData] { return found }
    guard let (list, numbers) = range.numbers, numbers.count <= Self.widestRange,
      let known = rows[range.order.table]
    else { return nil }
    var found: [StoredRow] = []
    for number in numbers {
      guard let row = known[RowKey(list: list, number: number)] else { return nil }
      guard let row else { continue }
      guard row.values.count >= range.columnCount else { return nil }
      found.append(row)
    }
    if range.isDescending { found.reverse() }
    return Array(found.prefix(range.limit ?? .max))
  }

  // MARK: After reading

  /// Records that a range is read: it has only the rows that are added to it from now on.
  mutating func begin(_ range: RowRange) {
    ranges[range] = []
    guard let (list, numbers) = range.numbers, numbers.count <= Self.widestRange, range.limit == nil
    else { return }
    for number in numbers { begin(RowKey(list: list, number: number), of: range.order.table) }
  }

  /// The sums of the digests of `id_parts`, by list.
  var idDigestSums: [Int64: Int64] = [:]

  mutating func begin(_ key: RowKey, of table: LogTable) {
    if rows[table]?[key] == nil { rows[table, default: [:]].updateValue(nil, forKey: key) }
  }

  mutating func add(_ row: StoredRow, to range: RowRange) {
    ranges[range, default: []].append(row)
    byteCount += row.byteCount
    add(row, of: range.order.table)
  }

  mutating func add(_ row: StoredRow, of table: LogTable) {
    guard let key = RowKey(row, of: table) else { return }
    if let old = rows[table]?[key], let old, old.values.count > row.values.count { return }
    rows[table, default: [:]][key] = row
    byteCount += row.byteCount
  }

  // MARK: After writing

  mutating func write(_ row: LogRow, of table: LogTable) {
    if table == .idParts { idDigestSums = [:] }
    if ranges.keys.contains(where: { $0.order.table == table }) {
      ranges = ranges.filter { $0.key.order.table != table }
    }
    guard rows[table] != nil, case let row = StoredRow(row), let key = RowKey(row, of: table),
      rows[table]?[key] != nil
    else { return }
    rows[table]?[key] = row
  }

  mutating func removeAll(of table: LogTable) {
    rows[table] = nil
    ranges = ranges.filter { $0.key.order.table != table }
    if table == .idParts { idDigestSums = [:] }
  }

  mutating func removeAll() { self = RowCache() }
}

extension StoredRow {
  fileprivate var byteCount: Int {
    values.reduce(64) { sum, value in
      if case .bytes(let bytes) = value { sum + 48 + bytes.count } else { sum + 16 }
    }
  }
}

extension RowKey {
  /// Reads the key of a row; nil for a table whose keys are of another kind.
  fileprivate init?(_ row: StoredRow, of table: LogTable) {
    guard table.hasRowKeys, case .integer(let list) = row.values[0] else { return nil }
    if table.layout.keyColumnCount == 1 {
      self.init(list: list)
    } else if case .integer(let number) = row.values[1] {
      self.init(list: list, number: number)
    } else {
      return nil
    }
  }
}

extension LogTable {
  /// Whether the keys of the table are a list and a number, or a list alone.
  fileprivate var hasRowKeys: Bool {
    [.lists, .versions, .segments, .headParts, .idParts, .blocks].contains(self)
  }
}

extension RowRange {
  fileprivate var withData: RowRange {
    var range = self
    range.includesData = true
    return range
  }

  /// The numbers from the start to the end of the range, with their list; nil if the range is in
  /// another order, or lacks a start or an end.
  fileprivate var numbers: (list: Int64, Range<Int64>)? {
    guard case .key(let table) = order, table.hasRowKeys, prefix.count == 1,
      case .integer(let list) = prefix[0], case .integer(let from)? = from,
      case .integer(let through)? = through, through < .max
    else { return nil }
    return (list, from..<max(from, through + 1))
  }
}
