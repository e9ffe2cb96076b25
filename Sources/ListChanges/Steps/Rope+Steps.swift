/// Receives the changes of a step with the names of the items in a rope.
@usableFromInline
protocol NamedItems {
  associatedtype Element: Identifiable & Equatable

  mutating func remove(_ removal: ChangeSet<Element>.Removal, named name: Int)
  mutating func move(_ move: ChangeSet<Element>.Move, named name: Int)
  /// - Returns: the name of the item.
  mutating func insert(_ insertion: ChangeSet<Element>.Insertion) -> Int
  mutating func update(_ update: ChangeSet<Element>.Update, named name: Int)
}

extension Rope {
  /// Applies a step to the names alone, for the two lists that keep their items by name:
  /// ``ReplayedList`` and ``StepComposer``.
  ///
  /// Removes the removed and moved items from last to first, inserts the inserted and moved ones
  /// from first to last, then finds the updated ones. So each index is valid when it is used.
  ///
  /// - Complexity: O(d log s) for d changes, with s as in ``Rope``.
  @inlinable
  mutating func apply<Items: NamedItems>(
    _ step: ChangeSet<Items.Element>, updating items: inout Items
  ) {
    precondition(count == step.oldCount, "the next change set starts from another list")
    let moved = removeLeaving(step, updating: &items)
    var next = 0
    for insertion in step.inserted {
      while next < moved.count, moved[next].to < insertion.to {
        insert(moved[next].name, at: moved[next].to)
        next += 1
      }
      insert(items.insert(insertion), at: insertion.to)
    }
    for move in moved[next...] { insert(move.name, at: move.to) }
    for update in step.updated { items.update(update, named: name(at: update.to)) }
  }

  /// - Returns: the targets of the moved items, ascending.
  @inlinable
  mutating func removeLeaving<Items: NamedItems>(
    _ step: ChangeSet<Items.Element>, updating items: inout Items
  ) -> [(to: Int, name: Int)] {
    var moved: [(to: Int, name: Int)] = []
    moved.reserveCapacity(step.moved.count)
    var rest = step.moved.count
    func removeMoved(after index: Int) {
      while rest > 0, step.moved[rest - 1].from > index {
        rest -= 1
        let move = step.moved[rest]
        let name = remove(at: move.from)
        items.move(move, named: name)
        moved.append((move.to, name))
      }
    }
    for removal in step.removed.reversed() {
      removeMoved(after: removal.from)
      items.remove(removal, named: remove(at: removal.from))
    }
    removeMoved(after: -1)
    return moved.sorted { $0.to < $1.to }
  }
}
