import ListModel

/// A snapshot as CSV (RFC 4180) or with another separator, for spreadsheets.
///
/// The first line names the columns: each top-level member of the items, in the order in which they
/// come. Items that are not objects are in the column `value`. A string is its text, a number its
/// digits, an array or object its JSON; an absent member, null and an empty string are empty cells.
public enum CellDocument {
  private static let valueColumn = "value"

  /// - Complexity: O(n · k) for n items and k columns.
  public static func encode(_ snapshot: Snapshot, separator: UInt8) -> [UInt8] {
    var columns: [[UInt8]: Int] = [:]
    var names: [String] = []
    for item in snapshot.items {
      for name in members(of: item.content).map(\.name) where columns[Array(name.utf8)] == nil {
        columns[Array(name.utf8)] = names.count
        names.append(name)
      }
    }
    var bytes: [UInt8] = []
    append(names.map { Array($0.utf8) }, separator, to: &bytes)
    for item in snapshot.items {
      var cells = [[UInt8]](repeating: [], count: names.count)
      for (name, value) in members(of: item.content) {
        guard let column = columns[Array(name.utf8)] else { continue }
        cells[column] = cell(value)
      }
      append(cells, separator, to: &bytes)
    }
    return bytes
  }

  private static func members(of content: Content) -> [(name: String, value: ContentView)] {
    let view = ContentView(content)
    return view.kind == .object ? view.members : [(valueColumn, view)]
  }

  static func cell(_ value: ContentView) -> [UInt8] {
    if value.kind == .null { return [] }
    return value.scalarText.map { Array($0.utf8) } ?? value.content.bytes
  }

  private static func append(_ cells: [[UInt8]], _ separator: UInt8, to bytes: inout [UInt8]) {
    bytes += row(cells, separator)
    bytes.append(0x0A)
  }

  /// A row without its line end.
  static func row(_ cells: [[UInt8]], _ separator: UInt8) -> [UInt8] {
    var bytes: [UInt8] = []
    let quote = UInt8(ascii: "\"")
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(separator) }
      // A line of one empty cell would be an empty line.
      guard
        cells.count == 1 && cell.isEmpty
          || cell.contains(where: { [separator, quote, 0x0A, 0x0D].contains($0) })
      else {
        bytes += cell
        continue
      }
      bytes.append(quote)
      for byte in cell { bytes += byte == quote ? [quote, quote] : [byte] }
      bytes.append(quote)
    }
    return bytes
  }
}
