import ListChanges
import ListModel

extension JSONPatch where Value == Item {
  public static var mediaType: String { "application/json-patch+json" }

  /// The patch as JSON text with a line end: an array of operations (RFC 6902) on the old
  /// snapshot's document. An updated item is replaced as a whole.
  ///
  /// - Parameters:
  ///   - layout: one line, or one for each operation.
  ///   - old: the old snapshot, if the first operation is to be a test that the document is this
  ///     one; nil for no test. Nothing less notices each other document: a patch that only inserts
  ///     names no item of the old one.
  public func encoded(
    _ layout: DeltaDocument.Layout = .lines, testing old: Snapshot? = nil
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      if let old {
        if layout == .lines { writer.lineBreak() }
        writer.object { writer in
          writer.member("op", "test")
          writer.member("path", "")
          writer.array("value") { writer in for item in old.items { writer.content(item.content) } }
        }
      }
      for operation in operations {
        if layout == .lines { writer.lineBreak() }
        writer.object { writer in
          writer.member("op", operation.op)
          if let from = operation.from { writer.member("from", from) }
          writer.member("path", operation.path)
          if let item = operation.value { writer.member("value", item.content) }
        }
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension DeltaDocument {
  /// The delta as JSON Patch.
  ///
  /// - Throws: `DeltaError.changes` when the changes of a document from outside are invalid.
  /// - Complexity: O(d log d) for d changes.
  public func jsonPatch() throws(DeltaError) -> JSONPatch<Item> {
    do {
      return try changes.outline().jsonPatch()
    } catch {
      throw .changes(error)
    }
  }
}
