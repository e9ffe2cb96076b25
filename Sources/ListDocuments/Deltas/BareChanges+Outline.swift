import ListChanges
import ListModel

extension BareChanges {
  /// The change set for those who never ask what it takes away: removed items and old contents are
  /// null.
  ///
  /// - Throws: `ListChangesError.invalid` when the arrays cannot lead from a list of so many items
  ///   to one of so many.
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
