/// The tree of hashes over a list's items, by which a step costs what it changes.
///
/// A value: trees share the groups that they have in common. A tree from a store knows only the
/// groups that were read.
package struct RootTree: Sendable {
  package static let empty = RootTree(RootNode(items: []))

  package let top: RootNode

  package init(_ top: RootNode) { self.top = top }

  package var root: Root { Root(top.hash) }
  package var itemCount: Int { top.itemCount }

  /// - Complexity: O(n) for n items, a SHA-256 for each, on all cores.
  package init(of items: [Item]) { self.init(hashes: Self.hashes(of: items)) }

  package init(hashes: [TreeHash]) {
    self.init(above: Self.groups(of: hashes, level: 1), level: 1)
  }

  /// The tree over the groups of a level.
  package init(above groups: [RootNode], level: Int) {
    var (groups, level) = (groups, level)
    while groups.count > 1 {
      level += 1
      groups = Self.groups(of: groups, level: level)
    }
    self.init(groups[0])
  }

  /// The hashes of items in their order.
  package static func hashes(of items: [Item]) -> [TreeHash] {
    let itemsPerPart = 1 << 12
    let parts = concurrentMap(count: (items.count + itemsPerPart - 1) / itemsPerPart) { number in
      var hasher = ItemHasher()
      let start = number * itemsPerPart
      return items[start..<min(items.count, start + itemsPerPart)].map { hasher.hash($0) }
    }
    return parts.count == 1 ? parts[0] : parts.flatMap(\.self)
  }

  /// All groups of a level, from its elements; of no elements, the one group of the empty list.
  private static func groups<Element: TreeElement>(
    of elements: [Element], level: Int
  ) -> [RootNode] {
    let ranges = groupRanges(of: elements)
    let groupsPerPart = 1 << 10
    let parts = concurrentMap(
      count: (ranges.count + groupsPerPart - 1) / groupsPerPart
    ) { number in
      let start = number * groupsPerPart
      return ranges[start..<min(ranges.count, start + groupsPerPart)].map {
        Element.group(Array(elements[$0]), level: level)
      }
    }
    return parts.count == 1 ? parts[0] : parts.flatMap(\.self)
  }

  private static func groupRanges(of elements: [some TreeElement]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for (index, element) in elements.enumerated()
    where element.hash.ends(groupOf: index + 1 - start) {
      ranges.append(start..<index + 1)
      start = index + 1
    }
    if start < elements.count || elements.isEmpty { ranges.append(start..<elements.count) }
    return ranges
  }
}

extension TreeHash {
  /// Whether a group ends after this element, which is its `count`th.
  package func ends(groupOf count: Int) -> Bool {
    count == RootNode.largestGroup || count > 1 && endsGroup
  }
}

// MARK: Finding groups

/// Reads the parts of a tree that a store has, when they are needed.
package protocol RootSource: AnyObject {
  /// The groups in a group of level 2 that begins with an item.
  func groups(from item: Int) throws -> [RootNode]

  /// The hashes of the items of some ranges, one after the other.
  func hashes(of items: [Range<Int>]) throws -> [TreeHash]
}

/// The source of a tree that knows all its groups.
package final class NoRootSource: RootSource {
  package init() {}

  package func groups(from item: Int) -> [RootNode] {
    preconditionFailure("every group is known")
  }

  package func hashes(of items: [Range<Int>]) -> [TreeHash] {
    preconditionFailure("every hash is known")
  }
}

extension RootTree {
  /// A group of a level, and the index of its first item.
  typealias Place = (group: RootNode, start: Int)

  /// The group of a level that holds an item.
  ///
  /// - Complexity: O(log n) for n items.
  func group(
    ofLevel level: Int, holding item: Int, _ source: any RootSource
  ) throws -> Place {
    var (group, start) = (top, 0)
    while group.level > level {
      for next in try group.groups(from: start, source) {
        group = next
        if item < start + next.itemCount { break }
        start += next.itemCount
      }
    }
    return (group, start)
  }

  /// The index of the first item of the group of a level that holds an item. Reads nothing for the
  /// first item of a group that is known.
  func start(
    ofLevel level: Int, holding item: Int, _ source: any RootSource
  ) throws -> Int {
    var (group, start) = (top, 0)
    while group.level > level, start < item {
      for next in try group.groups(from: start, source) {
        group = next
        if item < start + next.itemCount { break }
        start += next.itemCount
      }
    }
    return start
  }
}
