import ListChanges

/// A change set for documents: removed items have only their ids, and updates only the new content.
/// The list that they are applied to has the rest.
public struct BareChanges: Equatable, Sendable {
  public struct Removal: Equatable, Sendable {
    public let id: ItemID
    public let from: Int

    public init(id: ItemID, from: Int) {
      self.id = id
      self.from = from
    }
  }

  public struct Move: Equatable, Sendable {
    public let id: ItemID
    public let from: Int
    public let to: Int

    public init(id: ItemID, from: Int, to: Int) {
      self.id = id
      self.from = from
      self.to = to
    }
  }

  public struct Insertion: Equatable, Sendable {
    public let item: Item
    public let to: Int

    public init(item: Item, to: Int) {
      self.item = item
      self.to = to
    }
  }

  public struct Update: Equatable, Sendable {
    public let item: Item
    public let from: Int
    public let to: Int

    public init(item: Item, from: Int, to: Int) {
      self.item = item
      self.from = from
      self.to = to
    }
  }

  public let oldCount: Int
  public let newCount: Int
  public let removed: [Removal]
  public let moved: [Move]
  public let inserted: [Insertion]
  public let updated: [Update]

  /// The changes. Without a `newCount`, the count follows from the other arguments.
  public init(
    oldCount: Int, newCount: Int?, removed: [Removal], moved: [Move], inserted: [Insertion],
    updated: [Update]
  ) {
    self.oldCount = oldCount
    self.newCount = newCount ?? max(0, oldCount - removed.count + inserted.count)
    self.removed = removed
    self.moved = moved
    self.inserted = inserted
    self.updated = updated
  }

  /// - Precondition: Every move has its id.
  public init(_ changes: ChangeSet<Item>) {
    oldCount = changes.oldCount
    newCount = changes.newCount
    removed = changes.removed.map { Removal(id: $0.element.id, from: $0.from) }
    moved = changes.moved.map { move in
      guard let id = move.id else { preconditionFailure("every move has its id") }
      return Move(id: id, from: move.from, to: move.to)
    }
    inserted = changes.inserted.map { Insertion(item: $0.element, to: $0.to) }
    updated = changes.updated.map { Update(item: $0.new, from: $0.from, to: $0.to) }
  }
}

extension BareChanges {
  /// The indexes in the old list of all changes.
  package var oldIndexes: [Int] {
    removed.map(\.from) + moved.map(\.from) + updated.map(\.from)
  }

  /// The complete change set, with the removed items and the old contents.
  ///
  /// - Parameter oldItem: the item at an index of the old list, from 0 to `oldCount` less 1; called
  ///   for removed, moved and updated items.
  /// - Throws: `ListChangesError` when the changes are invalid or an old item has another id;
  ///   errors of the closure.
  public func completed(oldItem: (_ index: Int) throws -> Item) throws -> ChangeSet<Item> {
    func item(at index: Int, id: ItemID) throws -> Item {
      guard (0..<oldCount).contains(index) else {
        throw ListChangesError<ItemID>.itemMismatch(index: index, expected: id)
      }
      let item = try oldItem(index)
      guard item.id == id else {
        throw ListChangesError<ItemID>.itemMismatch(index: index, expected: id)
      }
      return item
    }
    return try ChangeSet(
      oldCount: oldCount, newCount: newCount,
      removed: removed.map { .init(from: $0.from, element: try item(at: $0.from, id: $0.id)) },
      moved: moved.map {
        .init(from: $0.from, to: $0.to, id: try item(at: $0.from, id: $0.id).id)
      },
      inserted: inserted.map { .init(to: $0.to, element: $0.item) },
      updated: updated.map {
        .init(from: $0.from, to: $0.to, old: try item(at: $0.from, id: $0.item.id), new: $0.item)
      })
  }
}

extension ChangeSet<Item> {
  /// Whether it is the canonical change set between its two lists.
  ///
  /// - Complexity: O(d log d) for d changes.
  package var isCanonical: Bool {
    let gone = Set(removed.map(\.element.id))
    return self == canonical() && updated.allSatisfy { $0.old != $0.new }
      && inserted.allSatisfy { !gone.contains($0.element.id) }
  }
}
