/// The key of a row in a table whose keys are a list and a number, or a list alone.
public struct RowKey: Hashable, Sendable {
  public let list: Int64
  /// The second part of the key; 0 in a table whose keys are a list alone.
  public let number: Int64

  public init(list: Int64, number: Int64 = 0) { (self.list, self.number) = (list, number) }
}

/// A range of consecutive rows of a table, in one of its orders.
public struct RowRange: Hashable, Sendable {
  /// The orders in which a table can be read.
  public enum Order: Hashable, Sendable {
    case key(LogTable)
    /// Versions by list and first change.
    case versionsByFirstChange
    /// Former lists by name and key.
    case retiredListsByName
  }

  public var order: Order
  /// The values of the first columns of the order. All rows of the range have them.
  public var prefix: [LogValue]
  /// The lowest value of the next column; nil for no limit.
  public var from: LogValue?
  /// The highest value of the next column; nil for no limit.
  public var through: LogValue?
  public var isDescending = false
  /// The largest number of rows; nil for no limit.
  public var limit: Int?
  /// Whether the data of the rows is read, too.
  public var includesData = true

  public init(
    _ order: Order, prefix: [LogValue] = [], from: LogValue? = nil, through: LogValue? = nil
  ) {
    (self.order, self.prefix, self.from, self.through) = (order, prefix, from, through)
  }
}

extension RowRange.Order {
  public var table: LogTable {
    switch self {
    case .key(let table): table
    case .versionsByFirstChange: .versions
    case .retiredListsByName: .retiredLists
    }
  }

  /// The positions of the columns by which the rows are ordered.
  public var columns: [Int] {
    switch self {
    case .key(let table): Array(0..<table.layout.keyColumnCount)
    case .versionsByFirstChange: [0, 2]
    case .retiredListsByName: [1, 0]
    }
  }
}

extension RowRange {
  /// The number of columns of each row that are read.
  public var columnCount: Int {
    let layout = order.table.layout
    return includesData ? layout.columns.count : layout.coveredColumnCount
  }

  init(of table: LogTable) { self.init(.key(table)) }

  /// Selects the rows of a list, or those with numbers from `from` to `through`.
  init(of table: LogTable, in list: ListKey, from: Int64? = nil, through: Int64? = nil) {
    self.init(
      .key(table), prefix: [.integer(list.rawValue)], from: from.map { .integer($0) },
      through: through.map { .integer($0) })
  }

  func descending(limit: Int? = nil) -> RowRange {
    var range = self
    (range.isDescending, range.limit) = (true, limit)
    return range
  }

  func limited(to count: Int) -> RowRange {
    var range = self
    range.limit = count
    return range
  }

  var withoutData: RowRange {
    var range = self
    range.includesData = false
    return range
  }
}
