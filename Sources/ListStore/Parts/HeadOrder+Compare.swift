import ListChanges
import ListModel

/// The common items of the head and another list, found by the hashes of the groups of their trees.
package struct GroupComparison {
  /// The items of equal groups, ascending by their new indexes.
  package fileprivate(set) var equal: [Alignment.Run] = []
  /// The other items of the head, ascending.
  package fileprivate(set) var oldRest: [Range<Int>] = []
  /// The other items of the new list, ascending.
  package fileprivate(set) var newRest: [Range<Int>] = []
  /// The parts of the new list; the old ones are those of the head.
  package fileprivate(set) var parts: [TreePiece<RootNode>] = []
}

extension HeadOrder {
  /// Compares the head with a list by their groups. Equal groups hold equal items, at whatever
  /// indexes.
  ///
  /// - Parameters:
  ///   - root: the root of the head.
  ///   - tree: the tree of the list; its groups of level 1 need not know their items.
  /// - Throws: `StoreError.corrupt` when the parts do not have the root.
  /// - Complexity: O(p + g) for p parts and the g groups of parts that are not equal, which are
  ///   read.
  package mutating func compare(from root: Root, with tree: RootTree) throws -> GroupComparison {
    _ = try checkedTree(root)
    var comparison = GroupComparison()
    let starts = starts
    var positions = Dictionary(
      zip(parts.map(\.hash), parts.indices), uniquingKeysWith: { first, _ in first })
    var (pieces, rest, start) = (TreePieces<RootNode>(), [(part: RootNode, start: Int)](), 0)
    for part in tree.top.parts {
      if let position = positions.removeValue(forKey: part.hash) {
        let old = starts[position]..<starts[position + 1]
        pieces.append(old: old)
        comparison.equal.append(.init(old: old.lowerBound, new: start, count: old.count))
      } else {
        pieces.append(part)
        rest.append((part, start))
      }
      start += part.itemCount
    }
    comparison.parts = pieces.finished()
    try comparison.compare(groups(ofParts: positions.values.sorted()), with: rest)
    return comparison
  }

  /// Reads some parts, and returns their groups of level 1, each with the index of its first item.
  private mutating func groups(ofParts positions: [Int]) throws -> [(group: RootNode, start: Int)] {
    try load(positions)
    let starts = starts
    return positions.flatMap { position in
      (parts[position].content?.groups ?? []).placed(from: starts[position])
    }
  }

  /// Returns the items at some ranges of indexes.
  ///
  /// - Precondition: Each index is one of the list's.
  /// - Complexity: O(p + k) for p parts and k items; each part with an item is read once.
  package mutating func items(in ranges: [Range<Int>]) throws -> [StoredItem] {
    let starts = starts
    let positions = ranges.flatMap { range in
      starts.partitioningIndex { $0 > range.lowerBound }
        - 1..<starts.partitioningIndex { $0 >= range.upperBound }
    }
    try load(positions.withoutRepetitions)
    return ranges.flatMap { items(in: $0, starts) }
  }
}

extension GroupComparison {
  fileprivate mutating func compare(
    _ old: [(group: RootNode, start: Int)], with newParts: [(part: RootNode, start: Int)]
  ) {
    var starts = Dictionary(
      old.map { ($0.group.hash, $0.start) }, uniquingKeysWith: { first, _ in first })
    for (part, start) in newParts {
      for (group, new) in (part.level == 1 ? [part] : part.groups).placed(from: start) {
        if let old = starts.removeValue(forKey: group.hash) {
          equal.append(.init(old: old, new: new, count: group.itemCount))
        } else {
          newRest.append(joining: new..<new + group.itemCount)
        }
      }
    }
    let rest = Set(starts.values)
    for (group, start) in old where rest.contains(start) {
      oldRest.append(joining: start..<start + group.itemCount)
    }
    equal.sort { $0.new < $1.new }
  }
}

extension [RootNode] {
  /// Returns the groups, each with the index of its first item.
  fileprivate func placed(from start: Int) -> [(group: RootNode, start: Int)] {
    var start = start
    return map { group in
      defer { start += group.itemCount }
      return (group, start)
    }
  }
}

extension [Range<Int>] {
  fileprivate mutating func append(joining range: Range<Int>) {
    if let last, last.upperBound == range.lowerBound {
      self[count - 1] = last.lowerBound..<range.upperBound
    } else {
      append(range)
    }
  }
}
