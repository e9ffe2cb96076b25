import Foundation
import ListChanges
import ListModel

extension Replica
where Element: Encodable & Identifiable & Equatable, Element.ID: CustomStringConvertible & Sendable
{
  /// Edits the list that the updates show. The next update has the edit; it is sent as soon as the
  /// server is there, and merged into what others do meanwhile.
  ///
  ///     try await replica.edit { parks in parks[0].name = "Zion National Park" }
  ///
  /// ``ReplicaSession/editStates`` tells the way of the edits, and their conflicts. Members of an
  /// item that `Element` does not know are kept. The id of a new item is the text of its `id`.
  ///
  /// - Parameters:
  ///   - encoder: makes the encoder of an item's JSON.
  ///   - body: changes the list.
  /// - Throws: errors of the body; `ReplicaError.undecodable` for any item of the list; as
  ///   ``ReplicaSession/edit(_:)``.
  /// - Complexity: O(n) to decode the n items of the list.
  public func edit(
    encoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() },
    _ body: @escaping @Sendable (inout [Element]) throws -> Void
  ) async throws {
    let decode = decode
    try await session.editByChanges { items in
      let old = try items.map(decode)
      var new = old
      try body(&new)
      return try Self.changes(of: items, from: old, to: new, encoder: encoder())
    }
  }

  /// The changes of items, of which elements were decoded and edited.
  private static func changes(
    of items: [Item], from old: [Element], to new: [Element], encoder: JSONEncoder
  ) throws -> ChangeSet<Item> {
    let changes: ChangeSet<Element>
    do {
      changes = try old.changes(to: new)
    } catch {
      throw EditError.notAList(reason: "\(error)")
    }
    func content(_ element: Element) throws -> Content {
      do {
        return try Content(json: Array(encoder.encode(element)))
      } catch {
        throw EditError.notAList(reason: "item '\(element.id)' cannot be encoded: \(error)")
      }
    }
    return try ChangeSet(
      oldCount: changes.oldCount, newCount: changes.newCount,
      removed: changes.removed.map { .init(from: $0.from, element: items[$0.from]) },
      moved: changes.moved.map { .init(from: $0.from, to: $0.to, id: items[$0.from].id) },
      inserted: changes.inserted.map {
        let id = ItemID($0.element.id.description)
        return .init(to: $0.to, element: Item(id: id, content: try content($0.element)))
      },
      updated: changes.updated.map {
        let item = items[$0.from]
        // Members that the type does not know are those of the item.
        let merged = try content($0.new).merged(
          into: item.content, base: content($0.old), preferring: .mine)
        return .init(
          from: $0.from, to: $0.to, old: item, new: Item(id: item.id, content: merged.content))
      })
  }
}
