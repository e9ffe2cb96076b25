/// The indexes of kept items before and after. They keep their order: the k-th kept item before is
/// the k-th after, and the indexes of all other items determine the rest.
///
///     before  0 1 2 3 4      leaving [1, 3]
///             │ ╲   ╲
///     after   0 1 2 3        placed  [2]            newIndex(ofOld: 4) == 3
struct KeptPlaces {
  /// Indexes before of the items that leave, ascending.
  let leaving: [Int]
  /// Indexes after of the items that are placed, ascending.
  let placed: [Int]

  /// The index after of the item at an index before; nil when it leaves. O(log d).
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
    rank + indices.partitioningIndex { self[$0] - $0 > rank }
  }
}
