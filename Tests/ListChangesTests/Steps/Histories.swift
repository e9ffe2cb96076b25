import ListChanges
import TestSupport

extension SeededRandom {
  /// Lists that each differ by a few edits; sometimes one is emptied, refilled or made anew.
  mutating func history(stepCount: Int, limit: Int) -> [[Pair]] {
    var lists = [list(limit: limit)]
    for _ in 0..<stepCount {
      let last = lists[lists.count - 1]
      switch Int.random(in: 0..<16, using: &self) {
      case 0: lists.append([])
      case 1: lists.append(list(limit: limit))
      case 2: lists.append(Array(lists[0].reversed()))
      default: lists.append(edited(last, limit: limit))
      }
    }
    return lists
  }
}

/// The steps from each list to the next.
func steps(of lists: [[Pair]]) throws -> [ChangeSet<Pair>] {
  try zip(lists, lists.dropFirst()).map { try $0.changes(to: $1) }
}
