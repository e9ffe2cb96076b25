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
      writeChanges(to: &writer, breakLine)
    }
    return writer.bytes + "\n".utf8
  }

  private func writeChanges(
    to writer: inout JSONWriter, _ breakLine: (inout JSONWriter) -> Void
  ) {
    func list<Change>(
      _ name: String, _ changes: [Change], _ write: (Change, inout JSONWriter) -> Void
    ) {
      writer.member(
        name,
        array: { writer in
          for change in changes {
            breakLine(&writer)
            writer.object { write(change, &$0) }
          }
        })
    }
    list("removed", changes.removed) { change, writer in
      writer.member("id", change.id.text)
      writer.member("from", change.from)
    }
    breakLine(&writer)
    list("moved", changes.moved) { change, writer in
      writer.member("id", change.id.text)
      writer.member("from", change.from)
      writer.member("to", change.to)
    }
    breakLine(&writer)
    list("inserted", changes.inserted) { change, writer in
      writer.member("id", change.item.id.text)
      writer.member("to", change.to)
      writer.name("content")
      writer.content(change.item.content)
    }
    breakLine(&writer)
    list("updated", changes.updated) { change, writer in
      writer.member("id", change.item.id.text)
      writer.member("from", change.from)
      writer.member("to", change.to)
      writer.name("content")
      writer.content(change.item.content)
    }
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
