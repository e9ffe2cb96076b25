/// Reloads, deletions and insertions by index, compatible with ArrayUpdater 1.3.0 (T. Kramer).
///
/// A move is a deletion and an insertion, and an update of a moved item is no reload: the insertion
/// shows the new content anyway. Everything else is kept, in its order. For unique ids the kept
/// items are exactly those of the canonical ``ChangeSet``, which are also the ones that
/// ArrayUpdater's table of longest common subsequences finds, in O(n · m) there.
///
/// All of it can go into one batch of a collection view.
public struct IndexUpdate: Equatable, Encodable, Sendable {
  /// Indexes in the new list, ascending.
  public let insertions: [Int]
  /// Indexes in the old list, ascending.
  public let deletions: [Int]
  /// Indexes in the old list, ascending; none of them is deleted.
  public let reloads: [Int]

  /// Makes an update of indexes in any order; an index given twice counts once.
  ///
  /// - Precondition: no index is negative, and no reload is also a deletion.
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

  /// Whether anything is to be done.
  public var hasChanges: Bool { !(insertions.isEmpty && deletions.isEmpty && reloads.isEmpty) }

  /// The update of the way back: deletions and insertions change places, and each reload is told by
  /// the item's index in what was the new list.
  ///
  /// It undoes this one, and inverting twice is identity. ArrayUpdater leaves the reloads at their
  /// indexes, which reloads another item wherever something is inserted or deleted before one.
  ///
  /// - Complexity: O(d log d) for d indexes.
  public var inverse: IndexUpdate {
    IndexUpdate(
      insertions: deletions, deletions: insertions,
      reloads: reloads.compactMap { kept.newIndex(ofOld: $0) })
  }

  /// Where the items that are neither deleted nor inserted stand.
  var kept: KeptPlaces { KeptPlaces(leaving: deletions, placed: insertions) }
}

extension IndexUpdate {
  /// The same as one batch, without moves.
  public var batchUpdates: BatchUpdates {
    BatchUpdates(deleted: deletions, inserted: insertions, reloaded: reloads)
  }
}

extension ChangeSet {
  /// Reloads, deletions and insertions as ArrayUpdater's `old.update(to: new)` gives them.
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
