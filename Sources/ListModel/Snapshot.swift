import ListChanges

/// A complete list at one version: items in order, no id twice.
public struct Snapshot: Sendable {
  public let items: [Item]
  /// The tree of the root, if it was made.
  package private(set) var tree: RootTree?

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
  package init(uniqueItems items: [Item], tree: RootTree? = nil) {
    (self.items, self.tree) = (items, tree)
  }

  /// The same snapshot with its tree.
  ///
  /// - Complexity: a SHA-256 for each item, on all cores.
  package func withTree() -> Snapshot {
    tree == nil ? Snapshot(uniqueItems: items, tree: RootTree(of: items)) : self
  }

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

extension Snapshot: Equatable {
  public static func == (a: Snapshot, b: Snapshot) -> Bool { a.items == b.items }
}
