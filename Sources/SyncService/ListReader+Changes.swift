import ListChanges
import ListModel
import ListStore

/// Replaces keys by ids and contents.
extension ListReader {
  /// The change set with ids and contents instead of keys, every move named.
  ///
  /// - Parameter identify: gives the item at an index of the old list; called only for moves
  ///   without an id.
  func named(
    _ changes: ChangeSet<StoredItem>, of list: ListKey,
    identify: (_ index: Int) throws -> StoredItem
  ) throws -> ChangeSet<Item> {
    let changes = try changes.namingMoves { try identify($0).id }
    let moved = changes.moved.compactMap(\.id)
    let stored =
      changes.removed.map(\.element) + changes.inserted.map(\.element) + changes.updated.map(\.old)
    try prepare(
      [.texts(items: stored, ids: moved, contents: changes.updated.map(\.new.content))],
      of: list)
    let movedIDs = try ids(of: moved)
    // One query for all items, which the store answers in the order of its rows.
    let items = try checkedItems(stored)
    let removed = items.prefix(changes.removed.count)
    let inserted = items.dropFirst(removed.count).prefix(changes.inserted.count)
    let old = items.suffix(changes.updated.count)
    let new = try checkedContents(of: changes.updated.map(\.new))
    return try ChangeSet(
      oldCount: changes.oldCount, newCount: changes.newCount,
      removed: zip(changes.removed, removed).map { .init(from: $0.from, element: $1) },
      moved: zip(changes.moved, movedIDs).map { .init(from: $0.from, to: $0.to, id: $1) },
      inserted: zip(changes.inserted, inserted).map { .init(to: $0.to, element: $1) },
      updated: zip(changes.updated, zip(old, new)).compactMap { update, texts in
        // Equal contents may have two keys.
        guard texts.0.content != texts.1 else { return nil }
        return .init(
          from: update.from, to: update.to, old: texts.0,
          new: Item(id: texts.0.id, content: texts.1))
      })
  }
}
