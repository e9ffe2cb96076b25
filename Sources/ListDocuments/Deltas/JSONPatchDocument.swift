import ListChanges
import ListModel

extension JSONPatch where Value == Item {
  public static var mediaType: String { "application/json-patch+json" }

  /// The patch as JSON text with a line end: an array of operations (RFC 6902) that makes of the
  /// old snapshot's document the new one's. An updated item is replaced as a whole.
  public func encoded(_ layout: DeltaDocument.Layout = .lines) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for operation in operations {
        if layout == .lines { writer.lineBreak() }
        writer.object { writer in
          writer.member("op", operation.op)
          if let from = operation.from { writer.member("from", from) }
          writer.member("path", operation.path)
          guard let item = operation.value else { return }
          writer.name("value")
          writer.content(item.content)
        }
      }
    }
    return writer.bytes + "\n".utf8
  }
}

extension DeltaDocument {
  /// The delta as JSON Patch.
  ///
  /// - Throws: `DeltaError.changes` when the changes cannot lead from a list of so many items to
  ///   one of so many, as a document from outside may pretend.
  /// - Complexity: O(d log d) for d changes.
  public func jsonPatch() throws(DeltaError) -> JSONPatch<Item> {
    do {
      return try changes.outline().jsonPatch()
    } catch {
      throw .changes(error)
    }
  }
}
