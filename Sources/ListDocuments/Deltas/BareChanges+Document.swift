import ListChanges
import ListModel

extension BareChanges {
  /// The nesting depth of a content: the object with the four arrays, an array, a change.
  static let contentDepth = 3

  /// The same changes with other updates.
  func replacingUpdates(by updated: [Update]) -> BareChanges {
    BareChanges(
      oldCount: oldCount, newCount: newCount, removed: removed, moved: moved, inserted: inserted,
      updated: updated)
  }

  /// The four arrays as JSON text.
  package var document: [UInt8] { JSONWriter.object { $0.members(of: self) } }

  /// Reads the four arrays; nil for another text.
  package init?(document: [UInt8], oldCount: Int) {
    guard let content = try? Content(json: document) else { return nil }
    do throws(DocumentField.Malformed) {
      self = try DocumentField(content, limits: .none).changes(oldCount: oldCount, newCount: nil)
    } catch {
      return nil
    }
  }

  /// A change set for uses that ignore removed items and old contents: these are null.
  ///
  /// - Throws: `ListChangesError.invalid` when the arrays cannot lead from a list of `oldCount`
  ///   items to one of `newCount`.
  /// - Complexity: O(d log d) for d changes.
  func outline() throws(ListChangesError<ItemID>) -> ChangeSet<Item> {
    let unknown = Content(canonicalBytes: Array("null".utf8))
    func old(_ id: ItemID) -> Item { Item(id: id, content: unknown) }
    return try ChangeSet(
      oldCount: oldCount, newCount: newCount,
      removed: removed.map { .init(from: $0.from, element: old($0.id)) },
      moved: moved.map { .init(from: $0.from, to: $0.to, id: $0.id) },
      inserted: inserted.map { .init(to: $0.to, element: $0.item) },
      updated: updated.map { .init(from: $0.from, to: $0.to, old: old($0.item.id), new: $0.item) })
  }
}

extension DocumentField {
  /// The four arrays of a change set, which are members of this object.
  ///
  /// - Parameter newCount: nil for the count that follows from the arrays.
  func changes(oldCount: Int, newCount: Int?) throws(Malformed) -> BareChanges {
    try changesExceptUpdates(oldCount: oldCount, newCount: newCount).replacingUpdates(
      by: self["updated"].map { field throws(Malformed) in
        .init(item: try field.item(), from: try field["from"].index(), to: try field["to"].index())
      })
  }

  /// The first three of these arrays.
  func changesExceptUpdates(oldCount: Int, newCount: Int?) throws(Malformed) -> BareChanges {
    BareChanges(
      oldCount: oldCount, newCount: newCount,
      removed: try self["removed"].map { field throws(Malformed) in
        .init(id: try field["id"].id(), from: try field["from"].index())
      },
      moved: try self["moved"].map { field throws(Malformed) in
        .init(
          id: try field["id"].id(), from: try field["from"].index(), to: try field["to"].index())
      },
      inserted: try self["inserted"].map { field throws(Malformed) in
        .init(item: try field.item(), to: try field["to"].index())
      },
      updated: [])
  }
}

extension JSONWriter {
  /// The four arrays as members of an object.
  ///
  /// - Parameter breakLine: called between the arrays and before every change.
  mutating func members(
    of changes: BareChanges, _ breakLine: (inout JSONWriter) -> Void = { _ in }
  ) {
    membersExceptUpdates(of: changes, breakLine)
    breakLine(&self)
    members("updated", changes.updated, breakLine) {
      $1.change(of: $0.item.id, from: $0.from, to: $0.to, content: $0.item.content)
    }
  }

  /// The first three of these arrays.
  mutating func membersExceptUpdates(
    of changes: BareChanges, _ breakLine: (inout JSONWriter) -> Void
  ) {
    members("removed", changes.removed, breakLine) { $1.change(of: $0.id, from: $0.from) }
    breakLine(&self)
    members("moved", changes.moved, breakLine) { $1.change(of: $0.id, from: $0.from, to: $0.to) }
    breakLine(&self)
    members("inserted", changes.inserted, breakLine) {
      $1.change(of: $0.item.id, to: $0.to, content: $0.item.content)
    }
  }

  private mutating func members<Change>(
    _ name: String, _ changes: [Change], _ breakLine: (inout JSONWriter) -> Void,
    _ write: (Change, inout JSONWriter) -> Void
  ) {
    array(name) { writer in
      for change in changes {
        breakLine(&writer)
        write(change, &writer)
      }
    }
  }

  /// The object of a change or, without indexes, of an item.
  mutating func change(of id: ItemID, from: Int? = nil, to: Int? = nil, content: Content? = nil) {
    object { writer in
      writer.member("id", id.text)
      if let from { writer.member("from", from) }
      if let to { writer.member("to", to) }
      if let content { writer.member("content", content) }
    }
  }
}
