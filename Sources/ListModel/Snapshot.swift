import ListChanges

/// A complete list at one version: items in order, no id twice.
public struct Snapshot: Equatable, Sendable {
  public let items: [Item]

  /// The list of version 0.
  public static let empty = Snapshot(uniqueItems: [])

  /// - Throws: `ListChangesError.duplicateID` when two items have the same id.
  public init(_ items: [Item]) throws(ListChangesError<ItemID>) {
    var indexes: [ItemID: Int] = [:]
    indexes.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      if let first = indexes.updateValue(index, forKey: item.id) {
        throw .duplicateID(item.id, first: first, second: index, side: .new)
      }
    }
    self.items = items
  }

  /// - Precondition: No two items have the same id.
  package init(uniqueItems items: [Item]) { self.items = items }

  /// The canonical change set from this snapshot to a newer one.
  public func changes(to new: Snapshot) -> ChangeSet<Item> {
    do {
      return try items.changes(to: new.items, ids: .trusted)
    } catch {
      preconditionFailure("a snapshot holds an id twice: \(error)")
    }
  }

  /// - Throws: `ListChangesError` when the changes do not start from this snapshot, or would leave
  ///   it with an id twice.
  public func applying(
    _ changes: ChangeSet<Item>
  ) throws(ListChangesError<ItemID>) -> Snapshot {
    try Snapshot(items.applying(changes))
  }
}
