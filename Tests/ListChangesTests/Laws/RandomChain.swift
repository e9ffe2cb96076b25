import TestSupport

/// Makes chains of lists with every kind of edit: blocks that move, items that return, lists
/// emptied and refilled.
struct RandomChain {
  enum Edit: CaseIterable {
    case removeBlock, removeSome, insertNew, revive, moveBlock, moveSome
    case reverse, rotate, shuffle, interleave
    case updateSome, updateAll, setBack, empty, refill, nothing
  }

  private(set) var lists: [[Pair]]
  private var random: SeededRandom
  private var nextID = 0
  /// The largest number of items: without it, lists in long chains would grow without end.
  private let itemLimit: Int
  /// Whether ids are spread over all numbers, like hashes.
  private let areIDsSpread: Bool
  /// The removed items, unchanged.
  private var gone: [Pair] = []

  /// Starts with a list of the given size.
  init(_ random: SeededRandom, itemCount: Int) {
    self.random = random
    areIDsSpread = self.random.chance(3)
    itemLimit = 3 * itemCount + 50
    lists = []
    lists.append(newItems(itemCount))
  }

  /// Makes later edits others than those of a copy of this chain.
  mutating func reseed(_ seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Adds a list that is one to four edits away from the last.
  mutating func extend() {
    var list = lists[lists.count - 1]
    for _ in 0..<random.number(1...4) { apply(random.element(of: Edit.allCases), to: &list) }
    lists.append(list)
  }

  private mutating func newItems(_ count: Int) -> [Pair] {
    (0..<min(count, itemLimit - nextID)).map { _ in
      nextID += 1
      return Pair(
        id: areIDsSpread ? nextID &* 0x1e37_79b9_7f4a_7c15 : nextID, value: random.number(0...1))
    }
  }

  private mutating func apply(_ edit: Edit, to list: inout [Pair]) {
    let block = block(of: list)
    switch edit {
    case .removeBlock:
      gone += list[block]
      list.removeSubrange(block)
    case .removeSome: takeOut(1 + random.number(0...list.count) / 8, from: &list)
    case .insertNew:
      let count = 1 + random.number(0...max(4, list.count / 8))
      list.insert(contentsOf: newItems(count), at: random.number(0...list.count))
    case .revive:
      gone.shuffle(using: &random)
      for _ in 0..<min(gone.count, 1 + random.number(0...8)) {
        list.insert(gone.removeLast(), at: random.number(0...list.count))
      }
    case .moveBlock:
      let moved = list[block]
      list.removeSubrange(block)
      list.insert(contentsOf: moved, at: random.number(0...list.count))
    case .moveSome:
      for _ in 0..<random.number(1...6) where !list.isEmpty {
        let item = list.remove(at: random.number(0...list.count - 1))
        list.insert(item, at: random.number(0...list.count))
      }
    case .reverse: list[block].reverse()
    case .rotate:
      let start = random.number(0...list.count)
      list = Array(list[start...] + list[..<start])
    case .shuffle: list[block].shuffle(using: &random)
    case .interleave: interleave(&list)
    case .updateSome: update(block, of: &list, onlySome: true)
    case .updateAll: update(list.indices, of: &list, onlySome: false)
    case .setBack: setBack(&list)
    case .empty:
      gone += list
      list = []
    case .refill:
      gone += list
      gone.shuffle(using: &random)
      list = gone
      gone = []
    case .nothing: break
    }
  }

  private mutating func block(of list: [Pair]) -> Range<Int> {
    let ends = [random.number(0...list.count), random.number(0...list.count)].sorted()
    return ends[0]..<ends[1]
  }

  private mutating func takeOut(_ count: Int, from list: inout [Pair]) {
    let leaving = Set((0..<count).map { _ in random.number(0...list.count) })
    gone += leaving.sorted().filter { $0 < list.count }.map { list[$0] }
    list = list.indices.filter { !leaving.contains($0) }.map { list[$0] }
  }

  /// The two halves of a list, item by item in turn.
  private func interleave(_ list: inout [Pair]) {
    let half = list.count / 2
    let pairs = zip(list[..<half], list[half...]).flatMap { [$0, $1] }
    list = pairs + list[(2 * half)...]
  }

  private mutating func update(_ range: Range<Int>, of list: inout [Pair], onlySome: Bool) {
    for index in range where !onlySome || random.chance(4) {
      list[index] = Pair(id: list[index].id, value: list[index].value + 1)
    }
  }

  /// Gives items their content of the first list.
  private func setBack(_ list: inout [Pair]) {
    let first = Dictionary(uniqueKeysWithValues: lists[0].map { ($0.id, $0) })
    list = list.map { first[$0.id] ?? $0 }
  }
}
