import ListModel
import TestSupport

@testable import ListStore

extension ListKey {
  static let parks = ListKey(rawValue: 1)
  static let films = ListKey(rawValue: 2)
}

extension StoredItem {
  /// An item by the sequence of its row, with the content that came with it or another.
  init(_ item: Int64, content: Int64? = nil, of list: ListKey = .parks) {
    self.init(
      id: ItemKey(list, sequence: item), content: ContentKey(list, sequence: content ?? item))
  }

  /// Different items in the ways in which lists are: runs, jumps, contents of their own and others.
  static func random(_ random: inout SeededRandom, count: Int) -> [StoredItem] {
    var items: [StoredItem] = []
    var taken: Set<Int64> = []
    var next: Int64 = 1
    while items.count < count {
      if Int.random(in: 0..<4, using: &random) == 0 {
        let bound: Int64 = Bool.random(using: &random) ? 4096 : ListKey.largestSequence
        next = .random(in: 1...bound, using: &random)
      }
      if ListKey.parks.holds(next), taken.insert(next).inserted {
        let isOwn = Int.random(in: 0..<3, using: &random) > 0
        let other = Int64.random(in: 1...ListKey.largestSequence, using: &random)
        items.append(StoredItem(next, content: isOwn ? nil : other))
      }
      next += 1
    }
    return items
  }
}
