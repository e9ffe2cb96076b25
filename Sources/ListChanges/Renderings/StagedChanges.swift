/// Up to three batches, one after the other, compatible with DifferenceKit's stages for flat lists
/// (R. Shiraishi): element updates; deletions; insertions and moves.
///
/// Its rule for moves is not the fewest: walk the new list; an item is moved when its source is not
/// the first source that is neither deleted nor taken already. Moving the first item to the end is
/// n - 1 moves. Where compatibility is not the point, ``BatchUpdates`` has fewer.
public struct StagedChanges: Equatable, Encodable, Sendable {
  /// In the order in which they are performed.
  public enum Stage: CaseIterable, Sendable {
    case updates
    case deletions
    case insertionsAndMoves
  }

  /// Indexes in the old list, ascending, of all items with new contents, moved or not.
  public let updated: [Int]
  /// Indexes in the old list, ascending.
  public let deleted: [Int]
  /// Indexes in the new list, ascending.
  public let inserted: [Int]
  /// `from` in the list after the deletions, `to` in the new one; ascending by `to`.
  public let moved: [IndexMove]

  public var count: Int { updated.count + deleted.count + inserted.count + moved.count }

  public var isEmpty: Bool { count == 0 }

  /// The stages in which something happens.
  public var stages: [Stage] { Stage.allCases.filter { !batch(of: $0).isEmpty } }

  /// What the view is told in a stage; indexes "before" count in the list that the stage before
  /// left.
  public func batch(of stage: Stage) -> BatchUpdates {
    switch stage {
    case .updates: BatchUpdates(reloaded: updated)
    case .deletions: BatchUpdates(deleted: deleted)
    case .insertionsAndMoves: BatchUpdates(inserted: inserted, moved: moved)
    }
  }
}

extension StagedChanges {
  /// - Parameters:
  ///   - alignment: which items are the same.
  ///   - updated: ascending old indexes.
  ///   - deleted: ascending old indexes.
  ///   - inserted: ascending new indexes.
  /// - Complexity: O(r log r + d) for r runs and d indexes in the result.
  init(alignment: Alignment, updated: [Int], deleted: [Int], inserted: [Int]) {
    self.updated = updated
    self.deleted = deleted
    self.inserted = inserted
    let runs = alignment.runs
    // Of a run whose first item is taken in its turn, all the others are: the next source is the
    // first one left. Of a run taken early, none is.
    let inOldOrder = runs.indices.sorted { runs[$0].old < runs[$1].old }
    var isTaken = Array(repeating: false, count: runs.count)
    var first = 0
    var moved: [IndexMove] = []
    for position in runs.indices {
      while isTaken[inOldOrder[first]] { first += 1 }
      isTaken[position] = true
      if inOldOrder[first] == position { continue }
      let run = runs[position]
      let from = run.old - deleted.partitioningIndex { $0 >= run.old }
      moved += (0..<run.count).map { IndexMove(from: from + $0, to: run.new + $0) }
    }
    self.moved = moved
  }
}

extension ChangeSet {
  /// The stages that DifferenceKit's `StagedChangeset(source:target:)` has, without its lists:
  /// ``StagedChanges/list(after:from:to:)`` makes those on demand.
  ///
  /// - Complexity: O(d log d + s) for d changes and s moves by DifferenceKit's rule.
  public func stagedChanges() -> StagedChanges {
    StagedChanges(
      alignment: Alignment(of: self), updated: updated.map(\.from).sorted(),
      deleted: removed.map(\.from), inserted: inserted.map(\.to))
  }
}
