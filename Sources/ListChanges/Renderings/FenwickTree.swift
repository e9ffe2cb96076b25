/// Counts the remaining positions of `0..<count`. (P. Fenwick, "A new data structure for cumulative
/// frequency tables", 1994.)
struct FenwickTree {
  /// node[i] is the count of the i & -i positions that end before i.
  private var node: [Int]

  /// Makes a tree in which every position remains.
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
