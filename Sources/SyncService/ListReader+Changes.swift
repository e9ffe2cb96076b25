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
    try named([changes.namingMoves { try identify($0).id }], of: list)[0]
  }

  /// Change sets with ids and contents instead of keys. Their texts are read together: each
  /// block is read once.
  ///
  /// - Throws: `StoreError.corrupt` if a move has no id.
  func named(
    _ steps: [ChangeSet<StoredItem>], of list: ListKey
  ) throws -> [ChangeSet<Item>] {
    let moved = try steps.flatMap(\.moved).map { move in
      guard let id = move.id else {
        throw StoreError.corrupt(reason: "a move of a step names no item")
      }
      return id
    }
    let stored = steps.flatMap { changes in
      changes.removed.map(\.element) + changes.inserted.map(\.element)
        + changes.updated.map(\.old)
    }
    let updated = steps.flatMap(\.updated).map(\.new)
    var movedIDs = try ids(of: moved)[...]
    // One query for all items, which the store answers in the order of its rows.
    var items = try checkedItems(stored)[...]
    var contents = try checkedContents(of: updated)[...]
    return try steps.map { changes in
      let removed = changes.removed.map {
        ChangeSet<Item>.Removal(from: $0.from, element: items.removeFirst())
      }
      let inserted = changes.inserted.map {
        ChangeSet<Item>.Insertion(to: $0.to, element: items.removeFirst())
      }
      return try ChangeSet(
        oldCount: changes.oldCount, newCount: changes.newCount, removed: removed,
        moved: changes.moved.map { .init(from: $0.from, to: $0.to, id: movedIDs.removeFirst()) },
        inserted: inserted,
        updated: changes.updated.compactMap { update in
          let (old, content) = (items.removeFirst(), contents.removeFirst())
          // Equal contents may have two keys.
          guard old.content != content else { return nil }
          return .init(
            from: update.from, to: update.to, old: old, new: Item(id: old.id, content: content))
        })
    }
  }
}
