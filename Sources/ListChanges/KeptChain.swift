/// The runs of an alignment that keep their place: the heaviest chain of runs that ascends in both
/// lists. The weight of a run is its number of items. All other matched items move.
///
/// Among chains of equal weight, the predecessor of a run, and at the end the last run, is the one
/// earliest in the new list. On single items this is patience sorting: items in old order, each on
/// the leftmost pile whose top is not smaller by new index, linked to the top of the pile to its
/// left (see Aldous and Diaconis, "Longest increasing subsequences: from patience sorting to the
/// Baik-Deift-Johansson theorem", 1999). A run can represent its items, because a chain with some
/// items of a run can always hold all of them. <doc:CanonicalComposition> has the proof.
///
/// A *block* is a stretch of runs that no run outside of it crosses. Each block is searched on its
/// own; the chain of the whole joins the chains of the blocks.
@usableFromInline
struct KeptChain {
  /// The positions of the runs, ascending by old index.
  @usableFromInline private(set) var order: [Int]
  /// Whether the items of each run are kept.
  @usableFromInline private(set) var isKept: [Bool]
  /// The number of items in the runs that are not kept.
  @usableFromInline private(set) var movedCount = 0

  /// - Complexity: O(r) for r runs that ascend, else O(c log c) for the c runs that cross others,
  ///   and O(min(r log r, n + r)) to order them.
  @usableFromInline
  init(_ alignment: Alignment) {
    let runs = alignment.runs
    isKept = Array(repeating: true, count: runs.count)
    if zip(runs, runs.dropFirst()).allSatisfy({ $0.old < $1.old }) {
      order = Array(runs.indices)
      return
    }
    order = Self.order(of: runs, oldCount: alignment.oldCount)
    var start = 0
    var last = 0
    for end in order.indices {
      last = max(last, order[end])
      guard last == end else { continue }
      if end > start { chooseChain(in: start...end, of: runs) }
      start = end + 1
    }
  }

  /// Runs by old index: few are sorted, many are distributed over the list.
  private static func order(of runs: [Alignment.Run], oldCount: Int) -> [Int] {
    if runs.count < oldCount / 16 {
      return runs.indices.sorted { runs[$0].old < runs[$1].old }
    }
    var runAtIndex: [Int32] = Array(repeating: -1, count: oldCount)
    for position in runs.indices { runAtIndex[runs[position].old] = Int32(position) }
    var order: [Int] = []
    order.reserveCapacity(runs.count)
    for position in runAtIndex where position >= 0 { order.append(Int(position)) }
    return order
  }

  /// Keeps the best chain of a block, whose runs have the same positions in both orders.
  private mutating func chooseChain(in block: ClosedRange<Int>, of runs: [Alignment.Run]) {
    var itemCount = 0
    for position in block { itemCount += runs[position].count }
    // Item by item is cheaper unless the items are many more than the runs.
    let chain =
      itemCount <= block.count * 2
      ? Self.longestChain(order[block], in: block, of: runs, itemCount: itemCount)
      : Self.heaviestChain(order[block], from: block.lowerBound) { runs[$0].count }
    for position in block { isKept[position] = false }
    movedCount += itemCount
    for position in chain {
      isKept[position] = true
      movedCount -= runs[position].count
    }
  }

  /// Patience sorting over the items of runs; an item is identified by its rank in the new list.
  private static func longestChain(
    _ order: ArraySlice<Int>, in block: ClosedRange<Int>, of runs: [Alignment.Run], itemCount: Int
  ) -> [Int] {
    // The run of each item by its rank, and the rank of each run's first item. Visiting the runs
    // themselves in old order would access memory at random.
    var runOfItem: [Int32] = []
    runOfItem.reserveCapacity(itemCount)
    var firstItem: [Int32] = []
    firstItem.reserveCapacity(block.count + 1)
    for position in block {
      firstItem.append(Int32(runOfItem.count))
      for _ in 0..<runs[position].count { runOfItem.append(Int32(position)) }
    }
    firstItem.append(Int32(itemCount))
    var tops: [Int32] = []
    var predecessor: [Int32] = Array(repeating: -1, count: itemCount)
    for position in order {
      let rank = position - block.lowerBound
      for item in firstItem[rank]..<firstItem[rank + 1] {
        var pile = tops.count
        if let last = tops.last, last > item {
          pile = firstTop(above: item, in: tops)
          tops[pile] = item
        } else {
          tops.append(item)
        }
        if pile > 0 { predecessor[Int(item)] = tops[pile - 1] }
      }
    }
    // The chain holds a run completely or not at all.
    var chain: [Int] = []
    var item = tops.last ?? -1
    while item >= 0 {
      let position = Int(runOfItem[Int(item)])
      if chain.last != position { chain.append(position) }
      item = predecessor[Int(item)]
    }
    return chain
  }

  /// The leftmost pile whose top is above an item.
  ///
  /// The search has no branches that depend on the items: in a shuffled list, the processor would
  /// predict half of them wrongly.
  ///
  /// - Precondition: There is such a pile.
  private static func firstTop(above item: Int32, in tops: [Int32]) -> Int {
    var start = 0
    var count = tops.count
    while count > 1 {
      let half = count / 2
      // All ones where the top is below the item, else 0: ranks are never negative.
      let isBelow = Int(truncatingIfNeeded: (tops[start &+ half &- 1] &- item) >> 31)
      start = start &+ (half & isBelow)
      count -= half
    }
    return start
  }

  /// The same for runs of any weight.
  private static func heaviestChain(
    _ order: ArraySlice<Int>, from first: Int, weight: (_ position: Int) -> Int
  ) -> [Int] {
    var best = PrefixBest(count: order.count)
    var predecessor = Array(repeating: -1, count: order.count)
    for position in order {
      let before = best.best(before: position - first)
      if let before { predecessor[position - first] = before + first }
      best.insert(position - first, weight: weight(position) + best.weight(at: before))
    }
    var chain: [Int] = []
    var position = best.best(before: order.count).map { $0 + first } ?? -1
    while position >= 0 {
      chain.append(position)
      position = predecessor[position - first]
    }
    return chain
  }
}

/// A Fenwick tree over positions in the new list. It finds the inserted run before a position that
/// ends the heaviest chain, the earliest of equals. (P. Fenwick, "A new data structure for
/// cumulative frequency tables", 1994.)
private struct PrefixBest {
  private var node: [Int]
  private var weights: [Int]

  init(count: Int) {
    node = Array(repeating: -1, count: count + 1)
    weights = Array(repeating: 0, count: count)
  }

  func weight(at position: Int?) -> Int { position.map { weights[$0] } ?? 0 }

  mutating func insert(_ position: Int, weight: Int) {
    weights[position] = weight
    var index = position + 1
    while index < node.count {
      if isBetter(position, than: node[index]) { node[index] = position }
      index += index & -index
    }
  }

  func best(before position: Int) -> Int? {
    var index = position
    var found = -1
    while index > 0 {
      if node[index] >= 0, isBetter(node[index], than: found) { found = node[index] }
      index -= index & -index
    }
    return found < 0 ? nil : found
  }

  private func isBetter(_ a: Int, than b: Int) -> Bool {
    b < 0 || weights[a] > weights[b] || (weights[a] == weights[b] && a < b)
  }
}
