import TestSupport

@testable import ListChanges

/// The smallest possible element: an id and a content.
struct Pair: Identifiable, Equatable, Encodable, Sendable, CustomStringConvertible {
  let id: Int
  let value: Int

  var description: String { value == 0 ? "\(id)" : "\(id)=\(value)" }
}

/// The changes with trusted ids, with and without comparing bits.
func trustedChanges<Element: Identifiable & Equatable>(
  from old: [Element], to new: [Element], usesBits: Bool
) -> ChangeSet<Element> {
  guard let changes = ChangeSet.between(old, new, usesBits: usesBits, isCancelled: { false })
  else { preconditionFailure("nothing cancels the comparison") }
  return changes
}

/// Every list over the ids `0..<count`: each order of each subset, all with content 0.
func allLists(over count: Int) -> [[Pair]] {
  func extend(_ list: [Pair]) -> [[Pair]] {
    let free = (0..<count).filter { id in !list.contains { $0.id == id } }
    return [list] + free.flatMap { extend(list + [Pair(id: $0, value: 0)]) }
  }
  return extend([])
}

extension SeededRandom {
  /// A list of up to `limit` ids out of twice as many, in random order, with one of three contents.
  mutating func list(limit: Int) -> [Pair] {
    let ids = Array(0..<limit * 2).shuffled(using: &self).prefix(
      Int.random(in: 0...limit, using: &self))
    return ids.map { Pair(id: $0, value: Int.random(in: 0...2, using: &self)) }
  }

  /// A list after a few edits: removals, insertions, moves of blocks and updates.
  mutating func edited(_ list: [Pair], limit: Int) -> [Pair] {
    var result = list
    for _ in 0..<Int.random(in: 0...4, using: &self) {
      switch Int.random(in: 0...4, using: &self) {
      case 0 where !result.isEmpty:
        result.remove(at: Int.random(in: result.indices, using: &self))
      case 1:
        let id = Int.random(in: 0..<limit * 2, using: &self)
        if !result.contains(where: { $0.id == id }) {
          let value = Int.random(in: 0...2, using: &self)
          result.insert(
            Pair(id: id, value: value), at: Int.random(in: 0...result.count, using: &self))
        }
      case 2 where !result.isEmpty:
        let start = Int.random(in: result.indices, using: &self)
        let end = min(result.count, start + Int.random(in: 1...4, using: &self))
        let block = result[start..<end]
        result.removeSubrange(start..<end)
        result.insert(contentsOf: block, at: Int.random(in: 0...result.count, using: &self))
      case 3 where !result.isEmpty:
        let index = Int.random(in: result.indices, using: &self)
        result[index] = Pair(id: result[index].id, value: Int.random(in: 0...2, using: &self))
      default:
        if Int.random(in: 0..<8, using: &self) == 0 { result.reverse() }
      }
    }
    return result
  }
}

func movesByDefinition(from old: [Pair], to new: [Pair]) -> [[Int]] {
  movesByDefinition(from: old.map(\.id), to: new.map(\.id))
}
