import ListStore

/// A table of the log, with its names in SQL.
///
/// In some tables, the list and the number of a key are one integer, with the list in its high
/// bits. SQLite keeps the rows in the order of this integer, so a row is found without an index.
struct SQLTable {
  let table: LogTable
  let layout: TableLayout
  /// The column that has both parts of the key; nil in other tables.
  let joinedKey: String?
  /// The lists of columns to select, without and with the data.
  private let selections: [String]
  let insertion: String
  let replacement: String
  /// Replaces a row, bound first, if it is still the one that is bound behind it.
  let exchange: String

  static subscript(_ table: LogTable) -> SQLTable { all[table.rawValue] }
  private static let all = LogTable.allCases.map { SQLTable($0) }

  private init(_ table: LogTable) {
    (self.table, layout) = (table, table.layout)
    let joined: String? =
      switch table {
      case .versions: "version_id"
      case .segments: "segment_id"
      case .idParts: "part_id"
      default: nil
      }
    joinedKey = joined
    let names =
      [joined].compactMap(\.self)
      + table.layout.columns.dropFirst(joined == nil ? 0 : 2).map(\.name)
    let hidden = table.layout.columns.count - table.layout.coveredColumnCount
    selections = [names.dropLast(hidden), names[...]].map { $0.joined(separator: ", ") }
    let places = Self.places(1...names.count)
    let target = "INTO \(table.layout.name) (\(selections[1])) VALUES (\(places))"
    (insertion, replacement) = ("INSERT \(target)", "INSERT OR REPLACE \(target)")
    let (new, old) = (1...names.count, names.count + 1...2 * names.count)
    exchange = """
      UPDATE \(table.layout.name) SET (\(selections[1])) = (\(Self.places(new))) \
      WHERE \(names[0]) = ?1 AND (\(selections[1])) IS (\(Self.places(old)))
      """
  }

  private static func places(_ numbers: ClosedRange<Int>) -> String {
    numbers.map { "?\($0)" }.joined(separator: ", ")
  }

  var name: String { layout.name }

  func columns(withData: Bool) -> String { selections[withData ? 1 : 0] }

  /// Returns the SQL condition for the rows of a list.
  func condition(of list: ListKey) -> String {
    joinedKey.map { "\($0) BETWEEN \(list.base) AND \(list.last)" }
      ?? "list_id = \(list.rawValue)"
  }
}

/// The condition, the order and the limit of an SQL statement, with the values of its parameters.
struct SQLSelection {
  private typealias Bound = (column: String, operation: String)

  private let range: RowRange
  private var bounds: [Bound] = []
  private var order: ArraySlice<String>
  private(set) var values: [(LogValue, TableLayout.Column.Kind)] = []

  init(_ range: RowRange) {
    self.range = range
    let table = SQLTable[range.order.table]
    if let key = table.joinedKey, range.order == .key(table.table) {
      order = [key]
      guard case .integer(let number)? = range.prefix.first else { return }
      let list = ListKey(rawValue: number)
      let numbers = 0...ListKey.largestSequence
      add((key, ">="), .integer(list.base + (range.from?.number(in: numbers) ?? 0)), .integer)
      let last = range.through?.number(in: numbers) ?? ListKey.largestSequence
      add((key, "<="), .integer(range.isEmpty(numbers) ? -1 : list.base + last), .integer)
      return
    }
    let columns = range.order.columns.map { table.layout.columns[$0] }
    // A joined key takes the place of this column.
    let names = zip(columns, range.order.columns).map { column, position in
      position == 1 ? table.joinedKey ?? column.name : column.name
    }
    order = names.dropFirst(range.prefix.count)
    for (number, value) in range.prefix.enumerated() {
      add((names[number], "="), value, columns[number].kind)
    }
    guard let next = order.first else { return }
    let kind = columns[range.prefix.count].kind
    let base = range.listBase(ofJoined: next == table.joinedKey)
    if let from = range.from { add((next, ">="), from.adding(base), kind) }
    if let through = range.through { add((next, "<="), through.adding(base), kind) }
  }

  private mutating func add(
    _ bound: Bound, _ value: LogValue, _ kind: TableLayout.Column.Kind
  ) {
    bounds.append(bound)
    values.append((value, kind))
  }

  var condition: String {
    let terms = bounds.enumerated().map { "\($1.column) \($1.operation) ?\($0 + 1)" }
    return terms.isEmpty ? "" : " WHERE \(terms.joined(separator: " AND "))"
  }

  /// The SQL for the order and the limit.
  var end: String {
    let direction = range.isDescending ? " DESC" : ""
    let order = order.map { $0 + direction }.joined(separator: ", ")
    return (order.isEmpty ? "" : " ORDER BY \(order)") + (range.limit.map { " LIMIT \($0)" } ?? "")
  }
}

extension RowRange {
  /// Returns whether the bounds exclude all of these numbers.
  fileprivate func isEmpty(_ numbers: ClosedRange<Int64>) -> Bool {
    if case .integer(let from)? = from, from > numbers.upperBound { return true }
    if case .integer(let through)? = through, through < numbers.lowerBound { return true }
    return false
  }

  /// Returns the number of the list in a joined key, to which the number of a row is added; 0 for
  /// another column.
  fileprivate func listBase(ofJoined isJoined: Bool) -> Int64 {
    guard isJoined, case .integer(let list)? = prefix.first else { return 0 }
    return ListKey(rawValue: list).base
  }
}

extension LogValue {
  fileprivate func number(in range: ClosedRange<Int64>) -> Int64? {
    guard case .integer(let number) = self else { return nil }
    return min(max(number, range.lowerBound), range.upperBound)
  }

  fileprivate func adding(_ base: Int64) -> LogValue {
    if case .integer(let number) = self { .integer(number &+ base) } else { self }
  }
}
