extension ChangeSet {
  /// The moves as steps on the list after the deletions, one after the other.
  ///
  /// Items that are never moved (the kept ones) cut that list into gaps, numbered by the kept items
  /// before them. Done in the order of where they end, each moved item goes behind all the others
  /// that have arrived in its gap and before those that still wait there:
  ///
  ///     gap 0          kept   gap 1                      kept
  ///     arrived, waiting │    arrived, waiting             │   …
  ///
  /// So an index is a number of kept items (the gap), of arrived ones (those done) and of waiting
  /// ones (a ``FenwickTree``).
  ///
  /// - Complexity: O(d log d) for d changes.
  func sequentialMoves() -> [IndexMove] {
    let leaving = departures
    let arriving = arrivals
    // The gaps that moved items wait in, in old order, and those that they go to, in new order.
    // Both ascend.
    let oldGaps = moved.map { $0.from - leaving.partitioningIndex(atLeast: $0.from) }
    let inNewOrder = moved.indices.sorted { moved[$0].to < moved[$1].to }
    let newGaps = inNewOrder.map {
      moved[$0].to - arriving.partitioningIndex(atLeast: moved[$0].to)
    }
    var waiting = FenwickTree(count: moved.count)
    return inNewOrder.enumerated().map { done, item in
      let (oldGap, newGap) = (oldGaps[item], newGaps[done])
      let arrivedBefore = min(done, newGaps.partitioningIndex(atLeast: oldGap + 1))
      let from = oldGap + arrivedBefore + waiting.count(before: item)
      waiting.remove(item)
      let to = newGap + done + waiting.count(before: oldGaps.partitioningIndex(atLeast: newGap))
      return IndexMove(from: from, to: to)
    }
  }
}

extension [Int] {
  /// In an ascending array, the number of elements below a bound.
  fileprivate func partitioningIndex(atLeast bound: Int) -> Int {
    partitioningIndex { $0 >= bound }
  }
}
