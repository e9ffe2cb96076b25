import ListChanges
import ListModel
import ListStore

/// Stored change sets become text here.
extension ListReader {
  /// The change set with ids and contents in place of their keys, every move named.
  ///
  /// - Parameter identify: the item at an index of the list that the changes start from; asked only
  ///   for moves that no step named.
  func named(
    _ changes: ChangeSet<StoredItem>, identify: (_ index: Int) throws -> StoredItem
  ) throws -> ChangeSet<Item> {
    let changes = try changes.namingMoves { try identify($0).id }
    let movedIDs = try ids(of: changes.moved.compactMap(\.id))
    // All at once: what is looked up together is read in the order of the log.
    let items = try checkedItems(
      changes.removed.map(\.element) + changes.inserted.map(\.element)
        + changes.updated.map(\.old))
    let removed = items.prefix(changes.removed.count)
    let inserted = items.dropFirst(removed.count).prefix(changes.inserted.count)
    let old = items.suffix(changes.updated.count)
    let new = try checkedContents(of: changes.updated.map(\.new.content))
    return try ChangeSet(
      oldCount: changes.oldCount, newCount: changes.newCount,
      removed: zip(changes.removed, removed).map { .init(from: $0.from, element: $1) },
      moved: zip(changes.moved, movedIDs).map { .init(from: $0.from, to: $0.to, id: $1) },
      inserted: zip(changes.inserted, inserted).map { .init(to: $0.to, element: $1) },
      updated: zip(changes.updated, zip(old, new)).compactMap { update, texts in
        // A content may have come back under another key.
        guard texts.0.content != texts.1 else { return nil }
        return .init(
          from: update.from, to: update.to, old: texts.0,
          new: Item(id: texts.0.id, content: texts.1))
      })
  }

  /// The items that keys stand for, their contents as ``checkedContents(of:)``.
  func checkedItems(_ stored: [StoredItem]) throws -> [Item] {
    let items = try items(of: stored)
    var check = ContentCheck()
    for item in items where !check.isCanonical(item.content) { throw Self.notCanonical }
    return items
  }

  /// Contents for those who take them apart, which is safe only for canonical ones.
  ///
  /// - Throws: `StoreError.corrupt` when one is not.
  func checkedContents(of keys: [ContentKey]) throws -> [Content] {
    let contents = try contents(of: keys)
    var check = ContentCheck()
    for content in contents where !check.isCanonical(content) { throw Self.notCanonical }
    return contents
  }

  private static var notCanonical: StoreError {
    .corrupt(reason: "the content of an item is not canonical JSON")
  }
}
