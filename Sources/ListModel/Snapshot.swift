import ListChanges

/// A complete list at one version: items in order, no id twice.
public struct Snapshot: Equatable, Sendable {
  public let items: [Item]

  /// The list of version 0.
  public static let empty = Snapshot(uniqueItems: [])

  /// - Throws: `ListChangesError.duplicateID` when two items have the same id.
  public init(_ items: [Item]) throws(ListChangesError<ItemID>) {
    var known = IDIndex(minimumCapacity: items.count)
    for (index, item) in items.enumerated() {
      let first = known.firstIndex(hash: item.id.hashValue, orInsert: index) {
        items[$0].id == item.id
      }
      if let first { throw .duplicateID(item.id, first: first, second: index, side: .new) }
    }
    self.items = items
  }

  /// - Precondition: No two items have the same id.
  package init(uniqueItems items: [Item]) { self.items = items }

  /// The canonical change set from this snapshot to a newer one.
  public func changes(to new: Snapshot) -> ChangeSet<Item> {
    items.changes(to: new.items, ids: .trusted)
  }

  /// Makes the next snapshot, as `applying(_:)` of its items does, and checks that no id is in it
  /// twice.
  ///
  /// - Throws: `ListChangesError` when the changes do not start from this snapshot, or the result
  ///   would have an id twice.
  public func applying(_ changes: ChangeSet<Item>) throws(ListChangesError<ItemID>) -> Snapshot {
    try Snapshot(items.applying(changes))
  }
}
