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
  /// ones (a Fenwick tree).
  ///
  /// - Complexity: O(d log d) for d changes.
  func sequentialMoves() -> [IndexMove] {
    let leaving = departures
    let arriving = arrivals
    // The gaps that moved items wait in, in old order, and those that they go to, in new order. Both
    // ascend.
    let oldGaps = moved.map { $0.from - leaving.partitioningIndex(atLeast: $0.from) }
    let inNewOrder = moved.indices.sorted { moved[$0].to < moved[$1].to }
    let newGaps = inNewOrder.map {
      moved[$0].to - arriving.partitioningIndex(atLeast: moved[$0].to)
    }
    var waiting = WaitingCount(count: moved.count)
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

/// A Fenwick tree that counts which of `0..<count` are still there. (P. Fenwick, "A new data
/// structure for cumulative frequency tables", 1994.)
private struct WaitingCount {
  /// node[i] is the count of the i & -i positions that end before i.
  private var node: [Int]

  init(count: Int) { node = (0...count).map { $0 & -$0 } }

  mutating func remove(_ position: Int) {
    var index = position + 1
    while index < node.count {
      node[index] -= 1
      index += index & -index
    }
  }

  func count(before position: Int) -> Int {
    var index = position
    var count = 0
    while index > 0 {
      count += node[index]
      index -= index & -index
    }
    return count
  }
}
