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
  /// Passes the rows of lists to a receiver, in pieces of text.
  func forEachPiece(
    of lists: [ListName], as format: RowFormat, _ receive: ([UInt8]) throws -> Void
  ) throws {
    let names = ["list", "place", "since", "until", "id", "content"]
    var bytes = format == .csv ? Array((names.joined(separator: ",") + "\n").utf8) : []
    for list in lists {
      try run(
        """
        SELECT list, place, since, until, id, content FROM items WHERE list = ?
        ORDER BY place, since
        """, [.text(list.text)]
      ) { row in
        bytes += format == .csv ? Self.cells(row) : Self.object(row, names)
        bytes.append(UInt8(ascii: "\n"))
        guard bytes.count >= 1 << 20 else { return }
        try receive(bytes)
        bytes = []
      }
    }
    try receive(bytes)
  }

  private static func object(_ row: RawStatement, _ names: [String]) -> [UInt8] {
    JSONWriter.object { writer in
      writer.member(names[0], row.text(0))
      for column in 1...3 { writer.member(names[column], Int(row.integer(Int32(column)))) }
      writer.member(names[4], row.text(4))
      writer.member(names[5], Content(canonicalBytes: row.bytes(5)))
    }
  }

  private static func cells(_ row: RawStatement) -> [UInt8] {
    Array((0..<6).map { cell(row.bytes($0)) }.joined(separator: [UInt8(ascii: ",")]))
  }

  private static func cell(_ bytes: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard bytes.contains(where: { "\",\r\n".utf8.contains($0) }) else { return bytes }
    return [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
