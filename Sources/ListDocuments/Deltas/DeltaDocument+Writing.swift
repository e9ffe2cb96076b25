import ListModel

extension DeltaDocument {
  public enum Layout: Sendable {
    /// One line in all, for NDJSON.
    case line
    /// A line for each change.
    case lines
  }

  /// The document as JSON text with a line end.
  public func encoded(_ layout: Layout = .lines) -> [UInt8] {
    var writer = JSONWriter()
    let breakLine = { (writer: inout JSONWriter) in if layout == .lines { writer.lineBreak() } }
    writer.object { writer in
      writer.member("format", Self.format)
      writer.member("kind", Self.kind)
      if let list { writer.member("list", list.text) }
      breakLine(&writer)
      writer.member("from", from)
      breakLine(&writer)
      writer.member("to", to)
      breakLine(&writer)
      if let oldest { writer.member("oldest", oldest.number) }
      writer.member("more", more)
      breakLine(&writer)
      writer.members(of: changes, breakLine)
    }
    return writer.bytes + "\n".utf8
  }
}

extension JSONWriter {
  /// A state of a list: cursor and version where it has them, count and checksum.
  public mutating func member(_ name: String, _ state: ListState) {
    member(
      name,
      object: { writer in
        if let cursor = state.cursor {
          writer.member("cursor", cursor.description)
          writer.member("version", cursor.version.number)
        }
        writer.member("count", state.count)
        writer.member("checksum", state.checksum.description)
      })
  }
}
