import ListModel

/// A table whose header names the members and whose cells are strings (RFC 4180).
///
/// Rows can be ragged: missing cells are absent members, and cells without a name (under an empty
/// name, or beyond the header) become an array under the empty name, in their order. Such rows are
/// noticed or refused; a last row without its end that is also short is refused, since the file
/// seems cut.
struct CSVSnapshot {
  private let bytes: [UInt8]
  private let idRule: IDRule
  private let recaller: ItemRecaller?
  private var scanner: CSVScanner
  /// The named columns, ascending by name: the order of members in canonical content.
  private let columns: [Column]
  /// The indexes in `columns` by column of the header; nil for columns without a name.
  private let ranks: [Int?]
  private let unnamedColumns: [Int]
  private let columnCount: Int
  private let options: SnapshotOptions
  private(set) var notices = ReadingNotices()

  private struct Column {
    let index: Int
    /// In canonical form, quotes included.
    let name: [UInt8]
  }

  /// Reads the header.
  ///
  /// - Parameter recaller: the known items of an earlier version of the file, if there is one.
  init(
    _ bytes: [UInt8], separator: UInt8, _ options: SnapshotOptions, recaller: ItemRecaller? = nil
  ) throws(SnapshotError) {
    self.bytes = bytes
    (idRule, self.options) = (options.idRule, options)
    scanner = CSVScanner(
      bytes, separator: separator, quoting: options.quoting,
      rowByteLimit: options.limits[.itemBytes])
    scanner.skipBlankLines()
    let offset = scanner.index
    let names =
      try scanner.row()?.map { String(decoding: $0.bytes(in: bytes), as: UTF8.self) } ?? []
    // A row means something else under another header.
    self.recaller = recaller
    let header = bytes[offset..<scanner.index] + [separator]
    if let recaller, !recaller.begins(with: header) { recaller.forget() }
    try Self.checkDuplicates(names, at: TextPosition(offset: offset, in: bytes))
    try Self.checkIDColumns(names, idRule)
    columnCount = names.count
    unnamedColumns = names.indices.filter { names[$0].isEmpty }
    columns = names.indices.filter { !names[$0].isEmpty }
      .sorted { names[$0].utf8.lexicographicallyPrecedes(names[$1].utf8) }
      .map { Column(index: $0, name: CanonicalString.quoted(names[$0])) }
    var ranks = [Int?](repeating: nil, count: names.count)
    for (rank, column) in columns.enumerated() { ranks[column.index] = rank }
    self.ranks = ranks
  }

  private static func checkDuplicates(
    _ names: [String], at position: TextPosition
  ) throws(SnapshotError) {
    var first: [[UInt8]: Int] = [:]
    for (index, name) in names.enumerated() where !name.isEmpty {
      if let other = first.updateValue(index, forKey: Array(name.utf8)) {
        throw .csv(.duplicateColumn(name, first: other, second: index), at: position)
      }
    }
  }

  private static func checkIDColumns(_ names: [String], _ rule: IDRule) throws(SnapshotError) {
    // A row is never a bare string.
    if rule.isItself { throw .noIDColumn(field: ".", columns: names) }
    let known = Set(names.map { Array($0.utf8) })
    for (paths, specification) in zip(rule.fields, rule.specifications) {
      let columns = paths.compactMap { $0.tokens.first.map { Array($0.utf8) } }
      let isThere = columns.contains { known.contains($0) }
      guard isThere else { throw .noIDColumn(field: specification, columns: names) }
    }
  }

  mutating func forEachItem(_ body: ItemReader.Body<ReadItem>) throws(SnapshotError) {
    while true {
      scanner.skipBlankLines()
      let offset = scanner.index
      if let (item, end) = recaller?.item(at: offset, endingWhere: scanner.isRowEnd) {
        scanner.move(to: end)
        try pass(item, to: body)
        continue
      }
      guard let cells = try scanner.row() else {
        notices.endsInsideLine = scanner.endsInsideLine
        return
      }
      try check(cells.count, at: offset)
      let item = ReadItem(Content(canonicalBytes: object(cells)), idRule: idRule, at: offset)
      recaller?.append(item, end: scanner.index)
      try pass(item, to: body)
    }
  }

  /// Notices or refuses a row that has not one cell for each column.
  private mutating func check(_ count: Int, at offset: Int) throws(SnapshotError) {
    if scanner.hasQuoteAfterBlank { notices.latelyQuotedRows.add(offset, of: bytes) }
    guard count != columnCount else { return }
    let isCut = count < columnCount && scanner.index == bytes.count && scanner.endsInsideLine
    if options.refusesRaggedRows || isCut && !options.acceptsCutFile {
      throw .csv(
        isCut ? .cutRow(count, of: columnCount) : .raggedRow(count, of: columnCount),
        at: TextPosition(offset: offset, in: bytes))
    }
    if count < columnCount {
      notices.shortRows.add(offset, of: bytes)
    } else {
      notices.longRows.add(offset, of: bytes)
    }
  }

  private func pass(_ item: ReadItem, to body: ItemReader.Body<ReadItem>) throws(SnapshotError) {
    do throws(JSONError) {
      try body(item)
    } catch {
      throw SnapshotError(error, in: bytes)
    }
  }

  /// The columns of a row with this number of cells, by name.
  private func columns(upTo count: Int) -> [Column] {
    if count >= columnCount { return columns }
    // The cost of a short row under a long header depends on the row only.
    return ranks[..<count].compactMap { $0 }.sorted().map { columns[$0] }
  }

  /// Writes a row as a canonical object.
  private func object(_ cells: [CSVCell]) -> [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "{")]
    let unnamed =
      unnamedColumns.prefix { $0 < cells.count }
      + Array(columnCount..<max(columnCount, cells.count))
    if !unnamed.isEmpty {
      output += "\"\":[".utf8
      for index in unnamed {
        append(cells[index], to: &output)
        output.append(UInt8(ascii: ","))
      }
      output[output.count - 1] = UInt8(ascii: "]")
      output.append(UInt8(ascii: ","))
    }
    for column in columns(upTo: cells.count) {
      output += column.name
      output.append(UInt8(ascii: ":"))
      append(cells[column.index], to: &output)
      output.append(UInt8(ascii: ","))
    }
    if output.count > 1 { output.removeLast() }
    output.append(UInt8(ascii: "}"))
    return output
  }

  private func append(_ cell: CSVCell, to output: inout [UInt8]) {
    CanonicalString.append(quoted: cell.range, of: cell.unescaped ?? bytes, to: &output)
  }
}
