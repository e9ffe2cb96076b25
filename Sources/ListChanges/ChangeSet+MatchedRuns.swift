extension ChangeSet {
  /// Neighbours of the old list that are neighbours in the new one, too.
  package struct MatchedRun: Equatable, Sendable {
    package let old: Int
    package let new: Int
    package let count: Int
  }

  /// The items that are in both lists as the longest such runs, ascending by `new`.
  ///
  /// - Complexity: O(d log d) for d changes.
  package var matchedRuns: [MatchedRun] {
    Alignment(of: self).runs.map { MatchedRun(old: $0.old, new: $0.new, count: $0.count) }
  }
}

extension Array {
  /// The index in the old list of the item at an index of the new one; nil when it was inserted.
  ///
  /// - Complexity: O(log r) for r runs.
  package func oldIndex<T>(ofNew index: Int) -> Int? where Element == ChangeSet<T>.MatchedRun {
    let next = partitioningIndex { $0.new > index }
    guard next > 0, index < self[next - 1].new + self[next - 1].count else { return nil }
    return self[next - 1].old + index - self[next - 1].new
  }
}
