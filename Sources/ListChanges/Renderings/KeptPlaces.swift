/// Where the items that stay stand before and after. They keep their order, so the k-th of them
/// before is the k-th after, and the indexes of all others say everything:
///
///     before  0 1 2 3 4      leaving [1, 3]
///             │ ╲   ╲
///     after   0 1 2 3        placed  [2]            newIndex(ofOld: 4) == 3
struct KeptPlaces {
  /// Indexes in the list before, ascending: what is taken out of it.
  let leaving: [Int]
  /// Indexes in the list after, ascending: what is put into it.
  let placed: [Int]

  /// The index after of the item at an index before, or nil when it does not stay. O(log d).
  func newIndex(ofOld index: Int) -> Int? {
    let before = leaving.partitioningIndex { $0 >= index }
    if before < leaving.count, leaving[before] == index { return nil }
    return placed.complementIndex(atRank: index - before)
  }

  var inverted: KeptPlaces { KeptPlaces(leaving: placed, placed: leaving) }
}

extension [Int] {
  /// The number at a rank among the natural numbers that are not in this ascending array. O(log n).
  func complementIndex(atRank rank: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle] - middle > rank { high = middle } else { low = middle + 1 }
    }
    return rank + low
  }
}
