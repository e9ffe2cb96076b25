extension ChangeSet {
  /// This change set as one operation of JSON Patch for each change: removes descending, moves and
  /// adds ascending by where they end, then replaces at new indexes.
  ///
  /// - Complexity: O(d log d) for d changes.
  public func jsonPatch() -> JSONPatch<Element> {
    var operations: [JSONPatch<Element>.Operation] = removed.reversed().map {
      .remove(at: $0.from)
    }
    var order = MoveOrder(self)
    operations += moved.indices.sorted { moved[$0].to < moved[$1].to }.enumerated().map {
      let (from, to) = order.next(mover: $1, to: moved[$1].to, place: $0)
      return .move(from: from, to: to)
    }
    operations += inserted.map { .add($0.element, at: $0.to) }
    operations += updated.map { .replace($0.new, at: $0.to) }
    return JSONPatch(operations: operations)
  }
}

/// Follows the list of kept and moved items while the moved ones are put, ascending by `to`, each
/// directly behind the item that precedes it in the end.
///
///     x a y b c     in the end y a b x c: x and a are moved
///     x y a b c     a first, directly behind y
///     y a b x c     then x, behind b
///
/// A mover is named by its rank among the movers in the old list. What matters of the others is how
/// many of them stand before a place: those still to move stand where they stood among the kept
/// ones, and those already moved stand behind the last kept item that precedes them in the end.
private struct MoveOrder {
  /// The number of kept items before each mover in the old list; ascending.
  private let keptBefore: [Int]
  /// The positions of inserted items in the new list.
  private let arrivals: [Int]
  /// 1 for each mover that still stands where it stood.
  private var waiting: PrefixSums
  /// For each mover that was put, 1 at the rank of the first mover that stands behind it.
  private var settled: PrefixSums

  init<Element>(_ changes: ChangeSet<Element>) {
    let departures = changes.removed.map(\.from)
    keptBefore = changes.moved.enumerated().map { rank, move in
      move.from - departures.partitioningIndex { $0 >= move.from } - rank
    }
    arrivals = changes.inserted.map(\.to)
    waiting = PrefixSums(repeating: 1, count: changes.moved.count)
    settled = PrefixSums(repeating: 0, count: changes.moved.count)
  }

  /// The indexes of the next move as RFC 6902 counts them.
  ///
  /// - Parameter place: the number of movers that were put before this one.
  mutating func next(mover rank: Int, to: Int, place: Int) -> (from: Int, to: Int) {
    let from = keptBefore[rank] + waiting.sum(before: rank) + settled.sum(before: rank + 1)
    waiting.add(-1, at: rank)
    // All matched items that precede the mover in the end, kept and moved, stand before it now.
    let preceding = to - arrivals.partitioningIndex { $0 >= to }
    let behind = keptBefore.partitioningIndex { $0 >= preceding - place }
    settled.add(1, at: behind)
    return (from, preceding + waiting.sum(before: behind))
  }
}

/// Numbers whose prefixes are summed and changed in O(log n) each. (P. Fenwick, "A new data
/// structure for cumulative frequency tables", 1994.)
private struct PrefixSums {
  private var nodes: [Int]

  /// - Complexity: O(n).
  init(repeating value: Int, count: Int) {
    // Node i holds the sum of the numbers from i - (i & -i) up to, not including, i.
    nodes = (0...count).map { value * ($0 & -$0) }
  }

  /// Adds to the number at an index; one at the end changes no sum.
  mutating func add(_ value: Int, at index: Int) {
    var node = index + 1
    while node < nodes.count {
      nodes[node] += value
      node += node & -node
    }
  }

  func sum(before index: Int) -> Int {
    var (node, sum) = (index, 0)
    while node > 0 {
      sum += nodes[node]
      node -= node & -node
    }
    return sum
  }
}
