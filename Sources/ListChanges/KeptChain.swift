extension Alignment {
  /// For each run, whether its items are kept (they need no move): the heaviest chain of runs that
  /// ascends in both lists, each run weighing its number of items.
  ///
  /// Where chains weigh the same, the predecessor of a run, and at the end the last run, is the one
  /// earliest in the new list. On single items this is patience sorting as DESIGN.md's section on
  /// the algebra states it (the top of a pile is the smallest new index that ends a chain of that
  /// length; see Aldous and Diaconis, "Longest increasing subsequences: from patience sorting to
  /// the Baik-Deift-Johansson theorem", 1999); a run may stand for its items because a chain that
  /// takes part of it can always take it whole.
  ///
  /// - Complexity: O(r log r) for r runs; O(r) when all of them ascend already.
  var keptRuns: [Bool] {
    if zip(runs, runs.dropFirst()).allSatisfy({ $0.old < $1.old }) {
      return Array(repeating: true, count: runs.count)
    }
    var kept = Array(repeating: false, count: runs.count)
    var link = heaviestChain()
    while let position = link.end {
      kept[position] = true
      link.end = link.predecessor[position]
    }
    return kept
  }

  private func heaviestChain() -> (end: Int?, predecessor: [Int?]) {
    var best = PrefixBest(count: runs.count)
    var weight = Array(repeating: 0, count: runs.count)
    var predecessor: [Int?] = Array(repeating: nil, count: runs.count)
    for position in runs.indices.sorted(by: { runs[$0].old < runs[$1].old }) {
      let before = best.best(before: position, weight)
      predecessor[position] = before
      weight[position] = runs[position].count + (before.map { weight[$0] } ?? 0)
      best.insert(position, weight)
    }
    return (best.best(before: runs.count, weight), predecessor)
  }
}

/// A Fenwick tree over positions in the new list that answers which inserted run before a position
/// ends the heaviest chain; of equals, the earliest. (P. Fenwick, "A new data structure for
/// cumulative frequency tables", 1994.)
private struct PrefixBest {
  private var node: [Int?]

  init(count: Int) { node = Array(repeating: nil, count: count + 1) }

  mutating func insert(_ position: Int, _ weight: [Int]) {
    var index = position + 1
    while index < node.count {
      node[index] = Self.better(node[index], position, weight)
      index += index & -index
    }
  }

  func best(before position: Int, _ weight: [Int]) -> Int? {
    var index = position
    var found: Int?
    while index > 0 {
      if let candidate = node[index] { found = Self.better(found, candidate, weight) }
      index -= index & -index
    }
    return found
  }

  private static func better(_ a: Int?, _ b: Int, _ weight: [Int]) -> Int {
    guard let a else { return b }
    return (weight[b], a) > (weight[a], b) ? b : a
  }
}
