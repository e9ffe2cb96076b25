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
    let touched =
      changes.removed.map(\.element) + changes.inserted.map(\.element)
      + changes.updated.flatMap { [$0.old, $0.new] }
    let item = try lookUp(touched)
    let movedIDs = try ids(of: changes.moved.compactMap(\.id))
    return try ChangeSet(
      oldCount: changes.oldCount, newCount: changes.newCount,
      removed: changes.removed.map { .init(from: $0.from, element: item($0.element)) },
      moved: zip(changes.moved, movedIDs).map { .init(from: $0.from, to: $0.to, id: $1) },
      inserted: changes.inserted.map { .init(to: $0.to, element: item($0.element)) },
      updated: changes.updated.map {
        .init(from: $0.from, to: $0.to, old: item($0.old), new: item($0.new))
      })
  }

  /// The items that keys stand for.
  func items(_ stored: [StoredItem]) throws -> [Item] {
    let ids = try ids(of: stored.map(\.id))
    let contents = try contents(of: stored.map(\.content))
    return zip(ids, contents).map { Item(id: $0, content: $1) }
  }

  /// The items that keys stand for, their contents as ``checkedContents(of:)``.
  func checkedItems(_ stored: [StoredItem]) throws -> [Item] {
    let ids = try ids(of: stored.map(\.id))
    let contents = try checkedContents(of: stored.map(\.content))
    return zip(ids, contents).map { Item(id: $0, content: $1) }
  }

  /// Contents for those who take them apart, which is safe only for canonical ones.
  ///
  /// - Throws: `StoreError.corrupt` when one is not.
  func checkedContents(of keys: [ContentKey]) throws -> [Content] {
    let contents = try contents(of: keys)
    guard contents.allSatisfy(\.isCanonical) else {
      throw StoreError.corrupt(reason: "the content of an item is not canonical JSON")
    }
    return contents
  }

  /// Reads the texts of items and hands out a look-up; each text is read once.
  private func lookUp(_ stored: [StoredItem]) throws -> (StoredItem) -> Item {
    let itemKeys = Array(Set(stored.map(\.id)))
    let contentKeys = Array(Set(stored.map(\.content)))
    let ids = Dictionary(uniqueKeysWithValues: zip(itemKeys, try ids(of: itemKeys)))
    let contents = Dictionary(
      uniqueKeysWithValues: zip(contentKeys, try checkedContents(of: contentKeys)))
    return { stored in
      guard let id = ids[stored.id], let content = contents[stored.content] else {
        preconditionFailure("a key that was read is not there")
      }
      return Item(id: id, content: content)
    }
  }
}
