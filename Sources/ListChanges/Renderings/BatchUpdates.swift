/// The operations of one `performBatchUpdates` of a collection or table view.
///
/// UIKit counts deletions, reloads and sources of moves in the list *before* the batch, insertions
/// and targets of moves in the list *after* it, in any order of calls. No place of either side
/// occurs twice. (Apple, `UICollectionView`, "performBatchUpdates(_:completion:)".)
public struct PlacedUpdates<Place: Hashable>: Equatable {
  /// Before the batch, ascending.
  public let deleted: [Place]
  /// After the batch, ascending.
  public let inserted: [Place]
  /// `from` before the batch, `to` after it; ascending by one of the two.
  public let moved: [PlaceMove<Place>]
  /// Before the batch, ascending.
  public let reloaded: [Place]

  public init(
    deleted: [Place] = [], inserted: [Place] = [], moved: [PlaceMove<Place>] = [],
    reloaded: [Place] = []
  ) {
    self.deleted = deleted
    self.inserted = inserted
    self.moved = moved
    self.reloaded = reloaded
  }

  /// The number of single operations. A caller may prefer a full reload where it is large.
  public var count: Int { deleted.count + inserted.count + moved.count + reloaded.count }

  public var isEmpty: Bool { count == 0 }

  /// The same operations at other places, such as index paths.
  package func map<Other>(_ place: (Place) -> Other) -> PlacedUpdates<Other> {
    PlacedUpdates<Other>(
      deleted: deleted.map(place), inserted: inserted.map(place),
      moved: moved.map { .init(from: place($0.from), to: place($0.to)) },
      reloaded: reloaded.map(place))
  }
}

extension PlacedUpdates: Encodable where Place: Encodable {}
extension PlacedUpdates: Decodable where Place: Decodable {}
extension PlacedUpdates: Sendable where Place: Sendable {}

/// One batch for a single list, by index. Its names are those of Undabot's `BatchUpdates`, which it
/// replaces.
public typealias BatchUpdates = PlacedUpdates<Int>

/// Two batches between two lists; the second is performed after the first has ended. The data
/// source holds the new list during both.
public struct TwoBatchUpdates: Equatable, Codable, Sendable {
  /// Deletions, insertions and moves.
  public let first: BatchUpdates
  /// Reloads, at indexes in the new list.
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
  /// item, and a move keeps the cell as it was; so an item both moved and updated is a deletion and
  /// an insertion.
  ///
  /// - Parameter moves: `.everyIndexChange` gives the moves of Undabot's `compare`.
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
  /// its cell even when its content changes.
  ///
  /// - Complexity: O(d) for d changes; O(n + d log d) with `.everyIndexChange`.
  public func twoBatchUpdates(moves: MoveChoice = .fewest) -> TwoBatchUpdates {
    TwoBatchUpdates(
      first: BatchUpdates(
        deleted: removed.map(\.from), inserted: inserted.map(\.to), moved: indexMoves(moves)),
      second: BatchUpdates(reloaded: updated.map(\.to)))
  }
}
