import ListModel

/// Writes another list in the form of a file of rows.
struct SnapshotTable {
  private let file: SnapshotText
  private let columns: [String]
  /// The bytes before the first row, and those between two rows.
  private let head: [UInt8]
  private let lineEnd: [UInt8]

  /// - Precondition: The file has a row.
  init(_ file: SnapshotText) {
    self.file = file
    head = Array(file.bytes[..<file.places[0].lowerBound])
    lineEnd = head.suffix { $0 == 0x0A || $0 == 0x0D }
    var scanner = CSVScanner(
      file.bytes, separator: file.separator, quoting: file.quoting)
    let cells = (try? scanner.row()) ?? []
    columns = cells.map { String(decoding: $0.bytes(in: file.bytes), as: UTF8.self) }
  }

  /// The file with the rows of another list.
  ///
  /// A column that only the other file has comes last. A column that no item has any more goes.
  func rows(of list: Snapshot, from other: SnapshotText) -> [UInt8] {
    let otherTable =
      other.read.format == .csv && !other.places.isEmpty ? SnapshotTable(other) : nil
    let columns = columns(of: list, otherTable?.columns ?? [])
    let isSame = columns == self.columns
    var result = isSame ? head : row(columns.map { Array($0.utf8) }) + lineEnd
    for (number, item) in list.items.enumerated() {
      if number > 0 { result += lineEnd }
      let texts = [
        isSame ? file.texts[item.id] : nil,
        otherTable?.columns == columns && otherTable?.file.separator == file.separator
          ? other.texts[item.id] : nil,
      ]
      let text = texts.lazy.compactMap(\.self).first { $0.content == item.content }
      result += text.map { Array($0.bytes[$0.range]) } ?? row(of: item.content, columns)
    }
    return result + file.bytes[file.places[file.places.count - 1].upperBound...]
  }

  private func columns(of list: Snapshot, _ others: [String]) -> [String] {
    var used: Set<[UInt8]> = []
    for item in list.items {
      for member in ContentView(item.content).members { used.insert(Array(member.name.utf8)) }
    }
    func isUsed(_ name: String) -> Bool { used.contains(Array(name.utf8)) }
    let known = Set(columns.map { Array($0.utf8) })
    return columns.filter { $0.isEmpty || isUsed($0) || list.items.isEmpty }
      + others.filter { !known.contains(Array($0.utf8)) && isUsed($0) }
  }

  private func row(of content: Content, _ columns: [String]) -> [UInt8] {
    let view = ContentView(content)
    // Cells without a name are an array under the empty name.
    var unnamed = (view.member("")?.elements ?? [])[...]
    var cells = columns.map { name in
      (name.isEmpty ? unnamed.popFirst() : view.member(name)).map(CellDocument.cell) ?? []
    }
    cells += unnamed.map(CellDocument.cell)
    return row(cells)
  }

  private func row(_ cells: [[UInt8]]) -> [UInt8] {
    file.quoting == .none
      ? Array(cells.joined(separator: [file.separator]))
      : CellDocument.row(cells, file.separator)
  }
}

extension [UInt8] {
  /// The longest end whose bytes satisfy a predicate.
  fileprivate func suffix(_ predicate: (UInt8) -> Bool) -> [UInt8] {
    reversed().prefix(while: predicate).reversed()
  }
}
