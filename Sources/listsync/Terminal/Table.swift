/// Rows of cells in columns, two spaces apart.
struct Table {
  let rows: [[String]]
  /// The number of columns, from the first on, whose cells are padded to one width.
  let paddedCount: Int
  /// The columns that are aligned to the right.
  var numbers: ClosedRange<Int>?

  /// - Parameter paint: colours a padded cell of a column.
  func write(indent: String = "", paint: (String, Int) -> String = { cell, _ in cell }) throws {
    let widths = (0..<paddedCount).map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        guard column < paddedCount else { return cell }
        let padded =
          numbers?.contains(column) == true
          ? cell.leftPadding(to: widths[column]) : cell.padding(to: widths[column])
        return paint(padded, column)
      }
      try Output.line(indent + cells.joined(separator: "  "))
    }
  }
}

extension String {
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  func leftPadding(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
