extension ChangeSet where Element.ID: Sendable {
  /// The standard library's form: removals at old offsets and insertions at new ones.
  ///
  /// A moved or updated item is a removal of the old element and an insertion of the new one, each
  /// associated with the other's offset. The elements of an update are unequal, those of a mere
  /// move equal.
  ///
  /// `old.applying(difference)` gives the new list.
  ///
  /// - Parameter old: the list that the change set starts from; moves do not carry their items.
  /// - Throws: `ListChangesError.countMismatch` when the list has another number of items.
  /// - Complexity: O(d log d) for d changes.
  public func collectionDifference(
    from old: some RandomAccessCollection<Element>
  ) throws(ListChangesError<Element.ID>) -> CollectionDifference<Element> {
    guard old.count == oldCount else {
      throw .countMismatch(expected: oldCount, found: old.count)
    }
    var changes: [CollectionDifference<Element>.Change] =
      removed.map { .remove(offset: $0.from, element: $0.element, associatedWith: nil) }
      + inserted.map { .insert(offset: $0.to, element: $0.element, associatedWith: nil) }
    func replace(_ from: Int, _ to: Int, _ element: Element, by new: Element) {
      changes.append(.remove(offset: from, element: element, associatedWith: to))
      changes.append(.insert(offset: to, element: new, associatedWith: from))
    }
    for update in updated { replace(update.from, update.to, update.old, by: update.new) }
    let isUpdated = Set(updated.map(\.from))
    for move in moved where !isUpdated.contains(move.from) {
      let element = old[old.index(old.startIndex, offsetBy: move.from)]
      replace(move.from, move.to, element, by: element)
    }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("the rules of a change set imply those of a difference")
    }
    return difference
  }
}
