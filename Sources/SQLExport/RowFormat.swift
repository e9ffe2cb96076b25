import ListDocuments
import ListModel
import RawSQLite

/// The form of the rows of an export in a text file.
package enum RowFormat: String, CaseIterable, Sendable {
  /// A JSON object on each line, with the content as JSON.
  case ndjson
  /// RFC 4180 with a header, and the content as JSON in a cell.
  case csv
}

extension ExportFile {
  /// Passes the rows of lists to a receiver, in pieces of text. An export with members has them as
  /// columns.
  func forEachPiece(
    of lists: [ListName], as format: RowFormat, _ receive: ([UInt8]) throws -> Void
  ) throws {
    let columns = try memberColumns()
    let names = ["list", "place", "since", "until", "id"] + columns.map(\.column) + ["content"]
    var bytes = format == .csv ? Self.line(names.map { Array($0.utf8) }) : []
    for list in lists {
      try run(
        """
        SELECT list, place, since, until, id, content FROM items WHERE list = ?
        ORDER BY place, since
        """, [.text(list.text)]
      ) { row in
        bytes += format == .csv ? Self.cells(row, columns) : Self.object(row, columns)
        guard bytes.count >= 1 << 20 else { return }
        try receive(bytes)
        bytes = []
      }
    }
    try receive(bytes)
  }

  private static func object(_ row: RawStatement, _ columns: [MemberColumn]) -> [UInt8] {
    let content = Content(canonicalBytes: row.bytes(5))
    let object = JSONWriter.object { writer in
      writer.member("list", row.text(0))
      for (column, name) in zip(Int32(1)..., ["place", "since", "until"]) {
        writer.member(name, Int(row.integer(column)))
      }
      writer.member("id", row.text(4))
      for (column, value) in zip(columns, values(of: content, columns)) {
        if let value { writer.member(column.column, value.content) }
      }
      writer.member("content", content)
    }
    return object + [UInt8(ascii: "\n")]
  }

  private static func cells(_ row: RawStatement, _ columns: [MemberColumn]) -> [UInt8] {
    let content = Content(canonicalBytes: row.bytes(5))
    let members = values(of: content, columns).map { value -> [UInt8] in
      guard let value, value.kind != .null else { return [] }
      return value.scalarText.map { Array($0.utf8) } ?? value.content.bytes
    }
    return line((0..<5).map { row.bytes($0) } + members + [content.bytes])
  }

  /// The members of a content, in the order of the columns.
  private static func values(
    of content: Content, _ columns: [MemberColumn]
  ) -> [ContentView?] {
    if columns.isEmpty { return [] }
    let members = ContentView(content).members.map { (Array($0.name.utf8), $0.value) }
    let found = Dictionary(uniqueKeysWithValues: members)
    return columns.map { found[$0.name] }
  }

  private static func line(_ cells: [[UInt8]]) -> [UInt8] {
    Array(cells.map(cell).joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "\n")]
  }

  private static func cell(_ bytes: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard bytes.contains(where: { "\",\r\n".utf8.contains($0) }) else { return bytes }
    return [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
