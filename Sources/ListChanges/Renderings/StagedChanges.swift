/// Up to three successive batches, compatible with DifferenceKit's stages for flat lists
/// (R. Shiraishi): element updates; deletions; insertions and moves.
///
/// DifferenceKit's moves are not the fewest. In the order of the new list, an item is moved when
/// its source is not the first source that is neither deleted nor used already; moving the first
/// item to the end is n - 1 moves. ``BatchUpdates`` has fewer.
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

  /// The stages that are not empty.
  public var stages: [Stage] { Stage.allCases.filter { !batch(of: $0).isEmpty } }

  /// The batch of a stage; "before" it is the list that the earlier stages leave.
  public func batch(of stage: Stage) -> BatchUpdates {
    switch stage {
    case .updates: BatchUpdates(reloaded: updated)
    case .deletions: BatchUpdates(deleted: deleted)
    case .insertionsAndMoves: BatchUpdates(inserted: inserted, moved: moved)
    }
  }

  /// The list of the data source after a stage; DifferenceKit calls it `data`.
  ///
  /// - Precondition: These changes are those from `old` to `new`.
  /// - Complexity: O(n + m + d log d) for lists of n and m items and d changes.
  public func list<Element>(
    after stage: Stage, from old: some RandomAccessCollection<Element>,
    to new: some RandomAccessCollection<Element>
  ) -> [Element] {
    if stage == .insertionsAndMoves { return Array(new) }
    var list = Array(old)
    let places = newIndexes(ofOld: updated)
    for (from, to) in zip(updated, places) {
      list[from] = new[new.index(new.startIndex, offsetBy: to)]
    }
    if stage == .updates { return list }
    let isDeleted = Set(deleted)
    return list.indices.filter { !isDeleted.contains($0) }.map { list[$0] }
  }

  private func newIndexes(ofOld indexes: [Int]) -> [Int] {
    let targets = Dictionary(uniqueKeysWithValues: moved.map { ($0.from, $0.to) })
    let kept = KeptPlaces(
      leaving: targets.keys.sorted(), placed: (inserted + targets.values).sorted())
    return indexes.compactMap { index in
      let remaining = index - deleted.partitioningIndex { $0 >= index }
      return targets[remaining] ?? kept.newIndex(ofOld: remaining)
    }
  }
}

extension ChangeSet {
  /// The stages of DifferenceKit's `StagedChangeset(source:target:)` without its lists, which
  /// ``StagedChanges/list(after:from:to:)`` makes on demand.
  ///
  /// - Complexity: O(d log d + s) for d changes and s moves by DifferenceKit's rule.
  public func stagedChanges() -> StagedChanges {
    let runs = Alignment(of: self).runs
    // When the first item of a run is the next source, so are the others in turn, and none moves.
    // Otherwise all items of the run move.
    let inOldOrder = runs.indices.sorted { runs[$0].old < runs[$1].old }
    var isUsed = Array(repeating: false, count: runs.count)
    var first = 0
    var moved: [IndexMove] = []
    for position in runs.indices {
      while isUsed[inOldOrder[first]] { first += 1 }
      isUsed[position] = true
      if inOldOrder[first] == position { continue }
      var run = runs[position]
      run.old -= removed.partitioningIndex { $0.from >= run.old }
      moved += run.moves
    }
    return StagedChanges(
      updated: updated.map(\.from).sorted(), deleted: removed.map(\.from),
      inserted: inserted.map(\.to), moved: moved)
  }
}
