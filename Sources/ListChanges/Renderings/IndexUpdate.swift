/// Reloads, deletions and insertions by index, compatible with ArrayUpdater 1.3.0 (T. Kramer).
///
/// A move is a deletion and an insertion. An updated item that moves is not reloaded, since its
/// insertion shows the new content. All other items are kept in their order. For unique ids the
/// kept items are those of the canonical ``ChangeSet``; ArrayUpdater finds the same ones with its
/// table of longest common subsequences, in O(n · m).
///
/// All operations can go into one batch of a collection view.
public struct IndexUpdate: Equatable, Encodable, Sendable {
  /// Indexes in the new list, ascending.
  public let insertions: [Int]
  /// Indexes in the old list, ascending.
  public let deletions: [Int]
  /// Indexes in the old list, ascending; none of them is deleted.
  public let reloads: [Int]

  /// Makes an update of indexes in any order; an index given twice counts once.
  ///
  /// - Precondition: No index is negative, and no reload is also a deletion.
  public init(insertions: [Int] = [], deletions: [Int] = [], reloads: [Int] = []) {
    self.insertions = insertions.ascendingAndUnique
    self.deletions = deletions.ascendingAndUnique
    self.reloads = reloads.ascendingAndUnique
    precondition(
      [self.insertions, self.deletions, self.reloads].allSatisfy { $0.first ?? 0 >= 0 },
      "an index is negative")
    precondition(
      Set(self.deletions).isDisjoint(with: self.reloads), "an index is both reloaded and deleted")
  }

  public var hasChanges: Bool { !(insertions.isEmpty && deletions.isEmpty && reloads.isEmpty) }

  /// The update of the way back: deletions and insertions change places, and reloads get the items'
  /// indexes in the other list.
  ///
  /// It undoes this update, and inverting twice is identity. ArrayUpdater keeps the indexes of
  /// reloads, which reloads another item wherever an earlier one is inserted or deleted.
  ///
  /// - Complexity: O(d log d) for d indexes.
  public var inverse: IndexUpdate {
    IndexUpdate(
      insertions: deletions, deletions: insertions,
      reloads: reloads.compactMap { kept.newIndex(ofOld: $0) })
  }

  /// The places of the items that are neither deleted nor inserted.
  private var kept: KeptPlaces { KeptPlaces(leaving: deletions, placed: insertions) }

  /// Combines this update, from A to B, with the next, from B to C, into one from A to C, by their
  /// indexes alone.
  ///
  ///     in this update     in the next      in the result
  ///     reloaded or kept   reloaded         reload, at the index in A
  ///     reloaded           kept             reload, at the index in A
  ///     reloaded or kept   deleted          deletion, at the index in A
  ///     inserted           reloaded, kept   insertion, at the index in C: it shows the new content
  ///     inserted           deleted          nothing
  ///
  /// Indexes do not identify items. So an item that was deleted and inserted again stays a deletion
  /// and an insertion. An item that was updated and set back stays a reload. A comparison of A with
  /// C may keep more items. To avoid this, compose the change sets
  /// (``ChangeSet/composed(with:)``) and render the result.
  ///
  /// Composition is associative, the empty update is its identity, and
  /// `a.composed(with: b).inverse == b.inverse.composed(with: a.inverse)`.
  ///
  /// - Precondition: The next update starts from the list that this one ends in.
  /// - Complexity: O(d log d) for the d indexes of both; independent of the lists' lengths.
  public func composed(with next: IndexUpdate) -> IndexUpdate {
    let isGone = Set(next.deletions)
    let oldIndex = { kept.inverted.newIndex(ofOld: $0) }
    let isReloadStill = { (index: Int) in !isGone.contains(kept.newIndex(ofOld: index) ?? -1) }
    return IndexUpdate(
      insertions: next.insertions + insertions.compactMap { next.kept.newIndex(ofOld: $0) },
      deletions: deletions + next.deletions.compactMap(oldIndex),
      reloads: reloads.filter(isReloadStill) + next.reloads.compactMap(oldIndex))
  }

  /// The same as one batch without moves.
  public var batchUpdates: BatchUpdates {
    BatchUpdates(deleted: deletions, inserted: insertions, reloaded: reloads)
  }
}

extension ChangeSet {
  /// The result of ArrayUpdater's `old.update(to: new)`.
  ///
  /// - Complexity: O(d log d) for d changes.
  public func indexUpdate() -> IndexUpdate {
    let isMoved = Set(moved.map(\.from))
    return IndexUpdate(
      insertions: arrivals, deletions: departures,
      reloads: updated.map(\.from).filter { !isMoved.contains($0) })
  }
}

extension [Int] {
  fileprivate var ascendingAndUnique: [Int] {
    let isAscending = zip(self, dropFirst()).allSatisfy { $0 < $1 }
    return isAscending ? self : Set(self).sorted()
  }
}
