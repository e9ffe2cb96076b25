import ListStore

/// The condition, the order and the limit of an SQL statement, with the values of its parameters.
struct RangeClauses {
  let condition: String
  let end: String
  let values: [Value]

  init(_ range: RowRange) {
    let layout = range.order.table.layout
    let names = range.order.columns.map { layout.columns[$0].name }
    var conditions: [String] = []
    var values: [Value] = []
    func add(_ condition: String, _ value: LogValue) {
      values.append(Value(value))
      conditions.append("\(condition) $\(values.count)")
    }
    for (name, value) in zip(names, range.prefix) { add("\(name) =", value) }
    let order = names.dropFirst(range.prefix.count)
    if let next = order.first {
      if let from = range.from { add("\(next) >=", from) }
      if let through = range.through { add("\(next) <=", through) }
    }
    condition = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    let direction = range.isDescending ? " DESC" : ""
    var end =
      order.isEmpty
      ? "" : " ORDER BY \(order.map { $0 + direction }.joined(separator: ", "))"
    if let limit = range.limit { end += " LIMIT \(limit)" }
    (self.end, self.values) = (end, values)
  }
}

extension TableLayout {
  /// Returns the names of the first columns, separated by commas.
  func columnNames(_ count: Int) -> String {
    columns.prefix(count).map(\.name).joined(separator: ", ")
  }

  var keyNames: String { columnNames(keyColumnCount) }
}
