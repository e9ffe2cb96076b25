import ListModel

/// The state of a list as a transaction has read and changed it.
///
/// Only the thread of the transaction uses it. A transaction sees one state of a list, so what was
/// read stays true until the transaction itself writes. ``ListWriter`` then sets the part that it
/// changes, or forgets it; and it forgets everything when it locks the list, since another writer
/// may have written before.
final class OpenedList {
  /// The row of the list; nil if it was not read, or does not exist.
  var row: ListRow?
  /// The rows of versions by number; nil for a version that does not exist.
  var versions: [Int64: VersionRow?] = [:]
  /// The newest checkpoint with the change that follows it, in an array without elements if there
  /// is no checkpoint; nil if it was not read.
  var newestCheckpoint: [(version: Version, nextChange: Int64)]?
  /// The parts of the head, without their contents; nil if they were not read.
  var headParts: [HeadOrder.Part]?
  /// The segments; nil if they were not read.
  var segments: [Segment]?
  /// The first changes of steps, by the first one of each block. The step of each text is searched
  /// in them.
  var starts: [Int64: [Int64]] = [:]
  /// The blocks of contents that were read last, since the next texts are often in the same blocks.
  var lastBlocks = BlockCache()
  /// The rows of the block of steps that was read last, since the history of an item often reads
  /// them again.
  var lastSteps: (block: Int64, rows: [ChangeRow])?
  /// Whether the table of ids was compared with the recorded sum of its digests.
  var hasComparedIDs = false
}

/// Rows that were read before they are needed, in an engine across a network. Each is checked when
/// it is used.
///
/// Only the thread of the transaction uses it. Rows of a table are forgotten when the transaction
/// writes to the table, and all of them when it locks a list, or when they have too many bytes.
struct RowsAhead {
  private var ranges: [RowRange: [StoredRow]] = [:]
  private var rows: [LogTable: [RowKey: StoredRow]] = [:]
  private(set) var idDigestSums: [Int64: Int64] = [:]
  private var byteCount = 0

  private static let byteLimit = 32 << 20
  /// The largest number of versions that are looked up one by one.
  private static let versionLimit: Int64 = 512

  var isEmpty: Bool { ranges.isEmpty && rows.isEmpty && idDigestSums.isEmpty }

  func row(_ key: RowKey, of table: LogTable) -> StoredRow? { rows[table]?[key] }

  /// Returns the rows of a range; nil if it was not read.
  func rows(in range: RowRange) -> [StoredRow]? {
    if isEmpty { return nil }
    if let found = ranges[range] { return found }
    guard range.order == .key(.versions), let (list, numbers) = range.numbers,
      numbers.count <= Self.versionLimit
    else { return nil }
    let found = numbers.compactMap { row(RowKey(list: list, number: $0), of: .versions) }
    let isRead =
      found.count == numbers.count
      || ranges.keys.contains {
        guard $0.order == range.order, let (other, all) = $0.numbers else { return false }
        return other == list && all.contains(numbers.lowerBound) && all.contains(numbers.upperBound)
      }
    return isRead ? found : nil
  }

  /// Returns what of a query was not read yet; nil if all was.
  func missing(of query: RowQuery) -> RowQuery? {
    switch query {
    case .range(let range): return ranges[range] == nil ? query : nil
    case .idDigestSum(let list): return idDigestSums[list] == nil ? query : nil
    case .rows(let table, let keys):
      let missing = Set(keys).filter { row($0, of: table) == nil }
      return missing.isEmpty ? nil : .rows(table, Array(missing))
    }
  }

  /// Prepares for the rows of some queries.
  mutating func begin(_ queries: [RowQuery]) {
    if byteCount > Self.byteLimit { self = RowsAhead() }
    for case .range(let range) in queries { ranges[range] = [] }
  }

  mutating func add(_ row: StoredRow, to query: RowQuery) {
    byteCount += row.values.reduce(64) { $0 + $1.byteCount }
    switch query {
    case .idDigestSum(let list): idDigestSums[list] = row.withRow(upTo: 1) { $0.integer(0) }
    case .rows(let table, _): add(row, to: table)
    case .range(let range):
      ranges[range, default: []].append(row)
      if range.order == .key(.versions) { add(row, to: .versions) }
    }
  }

  private mutating func add(_ row: StoredRow, to table: LogTable) {
    let key = row.withRow(upTo: 2) { row in
      RowKey(list: row.integer(0), number: table.layout.keyColumnCount == 1 ? 0 : row.integer(1))
    }
    rows[table, default: [:]][key] = row
  }

  mutating func removeAll(of table: LogTable) {
    rows[table] = nil
    ranges = ranges.filter { $0.key.order.table != table }
    if table == .idParts { idDigestSums = [:] }
  }
}

extension RowRange {
  /// The numbers from the start to the end of a range without a limit, with their list.
  fileprivate var numbers: (list: Int64, ClosedRange<Int64>)? {
    guard limit == nil, prefix.count == 1, case .integer(let list) = prefix[0],
      case .integer(let from)? = from, case .integer(let through)? = through, from <= through
    else { return nil }
    return (list, from...through)
  }
}
