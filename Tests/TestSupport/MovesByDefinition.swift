/// The canonical moves between two lists of ids, computed item by item from the definition. It is
/// patience sorting in old order by new index: each item goes on the leftmost pile whose top is not
/// smaller, with a link to the top of the pile to its left. The chain from the last pile's top
/// stays; all other items move.
///
/// - Returns: `[from, to]` of each move, ascending by `from`.
public func movesByDefinition<ID: Hashable>(from old: [ID], to new: [ID]) -> [[Int]] {
  let newIndex = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1, $0) })
  var piles: [Int] = []
  var link: [Int: Int] = [:]
  let matched = old.enumerated().compactMap { from, id in newIndex[id].map { (from, $0) } }
  for (_, to) in matched {
    // The tops ascend, so a binary search finds the pile.
    var (pile, end) = (0, piles.count)
    while pile < end {
      let middle = (pile + end) / 2
      if piles[middle] >= to { end = middle } else { pile = middle + 1 }
    }
    if pile > 0 { link[to] = piles[pile - 1] }
    if pile == piles.count { piles.append(to) } else { piles[pile] = to }
  }
  var kept: Set<Int> = []
  var next = piles.last
  while let to = next {
    kept.insert(to)
    next = link[to]
  }
  return matched.filter { !kept.contains($0.1) }.map { [$0.0, $0.1] }
}
