/// What one `performBatchUpdates` of a collection or table view is told: indexes only.
///
/// Within a batch UIKit counts deletions, reloads and the source of a move in the list *before* it,
/// insertions and the target of a move in the list *after* it, in whatever order they are called.
/// No index of either side is in two places here. (Apple, `UICollectionView`,
/// "performBatchUpdates(_:completion:)".)
///
/// The names are those of Undabot's `BatchUpdates`, which this replaces.
public struct BatchUpdates: Equatable, Codable, Sendable {
  /// Indexes in the list before, ascending.
  public let deleted: [Int]
  /// Indexes in the list after, ascending.
  public let inserted: [Int]
  /// `from` in the list before, `to` in the list after; ascending by one of the two.
  public let moved: [IndexMove]
  /// Indexes in the list before, ascending.
  public let reloaded: [Int]

  public init(
    deleted: [Int] = [], inserted: [Int] = [], moved: [IndexMove] = [], reloaded: [Int] = []
  ) {
    self.deleted = deleted
    self.inserted = inserted
    self.moved = moved
    self.reloaded = reloaded
  }

  /// The number of single operations, so that a caller can choose a full reload where it is large.
  public var count: Int { deleted.count + inserted.count + moved.count + reloaded.count }

  public var isEmpty: Bool { count == 0 }
}

/// The way between two lists as two batches, the second performed after the first has ended.
///
/// For both the data source already holds the new list.
public struct TwoBatchUpdates: Equatable, Codable, Sendable {
  /// Deletions, insertions and moves: order and number, no contents.
  public let first: BatchUpdates
  /// Reloads alone. The list before this batch is the new one, so these are indexes in that.
  public let second: BatchUpdates

  public init(first: BatchUpdates, second: BatchUpdates) {
    self.first = first
    self.second = second
  }

  /// The number of single operations in both batches.
  public var count: Int { first.count + second.count }

  public var isEmpty: Bool { count == 0 }
}

extension ChangeSet {
  /// The one batch that is always safe.
  ///
  /// An item updated in its place is a reload at its old index. A view accepts no reload of a moved
  /// item, and a move keeps the cell as it was, so an item both moved and updated is a deletion and
  /// an insertion.
  ///
  /// - Parameter moves: the fewest, or every index that changes, as Undabot's `compare` has it.
  /// - Complexity: O(d log d) for d changes, and O(n) more with `.everyIndexChange`.
  public func batchUpdates(moves: MoveChoice = .fewest) -> BatchUpdates {
    let moves = indexMoves(moves)
    let isUpdated = Set(updated.map(\.from))
    let replaced = moves.filter { isUpdated.contains($0.from) }
    let isReplaced = Set(replaced.map(\.from))
    return BatchUpdates(
      deleted: (removed.map(\.from) + replaced.map(\.from)).sorted(),
      inserted: (inserted.map(\.to) + replaced.map(\.to)).sorted(),
      moved: moves.filter { !isUpdated.contains($0.from) },
      reloaded: updated.map(\.from).filter { !isReplaced.contains($0) })
  }

  /// Two batches: deletions, insertions and moves, then reloads at new indexes. A moved item keeps
  /// its cell also when its content changes.
  ///
  /// - Complexity: O(d) for d changes; O(n + d log d) with `.everyIndexChange`.
  public func twoBatchUpdates(moves: MoveChoice = .fewest) -> TwoBatchUpdates {
    TwoBatchUpdates(
      first: BatchUpdates(
        deleted: removed.map(\.from), inserted: inserted.map(\.to), moved: indexMoves(moves)),
      second: BatchUpdates(reloaded: updated.map(\.to)))
  }
}
