import ListModel

extension JSONWriter {
  /// The four arrays as members of an object.
  ///
  /// - Parameter breakLine: called between the arrays and before every change.
  mutating func members(
    of changes: BareChanges, _ breakLine: (inout JSONWriter) -> Void = { _ in }
  ) {
    members("removed", changes.removed, breakLine) { change, writer in
      writer.member("id", change.id.text)
      writer.member("from", change.from)
    }
    breakLine(&self)
    members("moved", changes.moved, breakLine) { change, writer in
      writer.member("id", change.id.text)
      writer.member("from", change.from)
      writer.member("to", change.to)
    }
    breakLine(&self)
    members("inserted", changes.inserted, breakLine) { change, writer in
      writer.member("id", change.item.id.text)
      writer.member("to", change.to)
      writer.name("content")
      writer.content(change.item.content)
    }
    breakLine(&self)
    members("updated", changes.updated, breakLine) { change, writer in
      writer.member("id", change.item.id.text)
      writer.member("from", change.from)
      writer.member("to", change.to)
      writer.name("content")
      writer.content(change.item.content)
    }
  }

  private mutating func members<Change>(
    _ name: String, _ changes: [Change], _ breakLine: (inout JSONWriter) -> Void,
    _ write: (Change, inout JSONWriter) -> Void
  ) {
    member(
      name,
      array: { writer in
        for change in changes {
          breakLine(&writer)
          writer.object { write(change, &$0) }
        }
      })
  }
}
