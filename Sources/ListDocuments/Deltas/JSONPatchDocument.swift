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
    let named: ChangeSet<NamedItem>
    do {
      named = try ChangeSet(
        oldCount: from.count, newCount: to.count,
        removed: changes.removed.map { .init(from: $0.from, element: NamedItem(id: $0.id)) },
        moved: changes.moved.map { .init(from: $0.from, to: $0.to, id: $0.id) },
        inserted: changes.inserted.map { .init(to: $0.to, element: NamedItem($0.item)) },
        updated: changes.updated.map {
          .init(
            from: $0.from, to: $0.to, old: NamedItem(id: $0.item.id), new: NamedItem($0.item))
        })
    } catch {
      throw .changes(error)
    }
    return named.jsonPatch().map(\.known)
  }
}

/// What a delta document knows of an item: its id, and the rest where it is new.
private struct NamedItem: Identifiable, Equatable {
  let id: ItemID
  private let item: Item?

  init(id: ItemID) {
    self.id = id
    item = nil
  }

  init(_ item: Item) {
    id = item.id
    self.item = item
  }

  /// - Precondition: The item is inserted or updated.
  var known: Item {
    guard let item else { preconditionFailure("\(id) has no content in the delta") }
    return item
  }
}
