extension ChangeSet where Element.ID: Sendable {
  /// The standard library's form: removals at old offsets and insertions at new ones.
  ///
  /// That form has no word for an update, so an item that is moved, updated or both is a removal of
  /// what it was and an insertion of what it is, each associated with the other's offset. An item
  /// updated where it stands is thus a pair like that of a move; what tells the two apart is that
  /// the elements are unequal.
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
    let changes = pureChanges + movesAndUpdates(from: old).flatMap { $0.pair }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("the rules of a change set imply those of a difference")
    }
    return difference
  }

  private typealias Change = CollectionDifference<Element>.Change

  private var pureChanges: [Change] {
    removed.map { .remove(offset: $0.from, element: $0.element, associatedWith: nil) }
      + inserted.map { .insert(offset: $0.to, element: $0.element, associatedWith: nil) }
  }

  private func movesAndUpdates(from old: some RandomAccessCollection<Element>) -> [Update] {
    let isUpdated = Set(updated.map(\.from))
    return updated
      + moved.filter { !isUpdated.contains($0.from) }.map {
        let element = old[old.index(old.startIndex, offsetBy: $0.from)]
        return Update(from: $0.from, to: $0.to, old: element, new: element)
      }
  }
}

extension ChangeSet.Update {
  fileprivate var pair: [CollectionDifference<Element>.Change] {
    [
      .remove(offset: from, element: old, associatedWith: to),
      .insert(offset: to, element: new, associatedWith: from),
    ]
  }
}
