/// A group of the tree over a list's items: see ``Root``.
package final class RootNode: Sendable {
  package static let largestGroup = 256

  /// 1 for a group of items.
  package let level: Int
  package let itemCount: Int
  package let hash: TreeHash
  /// The hashes of the items of a group of level 1; empty if they are not known.
  package let items: [TreeHash]
  /// The groups in this one; empty if they are not known, and for level 1.
  package let groups: [RootNode]

  /// A group of items.
  package init(items: [TreeHash]) {
    (level, itemCount, self.items, groups) = (1, items.count, items, [])
    hash = TreeHash(ofGroup: items, level: 1, itemCount: items.count)
  }

  /// A group of groups of the level below.
  package init(groups: [RootNode], level: Int) {
    (self.level, self.groups, items) = (level, groups, [])
    itemCount = groups.reduce(0) { $0 + $1.itemCount }
    hash = TreeHash(ofGroup: groups.lazy.map(\.hash), level: level, itemCount: itemCount)
  }

  /// A group whose elements are not known.
  package init(level: Int, itemCount: Int, hash: TreeHash) {
    (self.level, self.itemCount, self.hash, items, groups) = (level, itemCount, hash, [], [])
  }
}

/// An element of a level.
protocol TreeElement: Sendable {
  var hash: TreeHash { get }
  /// The number of items below it.
  var itemCount: Int { get }
  static func group(_ elements: [Self], level: Int) -> RootNode
  /// Those elements of a group, the first of which begins with an item, that cover some items.
  static func elements(
    of group: RootNode, from start: Int, in items: Range<Int>, _ source: any RootSource
  ) throws -> [Self]
}

extension RootNode: TreeElement {
  static func group(_ elements: [RootNode], level: Int) -> RootNode {
    RootNode(groups: elements, level: level)
  }

  static func elements(
    of group: RootNode, from start: Int, in items: Range<Int>, _ source: any RootSource
  ) throws -> [RootNode] {
    var end = start
    return try group.groups(from: start, source).filter { element in
      end += element.itemCount
      return items.contains(end - 1)
    }
  }

  /// The groups in this one, which begins with an item.
  func groups(from start: Int, _ source: any RootSource) throws -> [RootNode] {
    groups.isEmpty ? try source.groups(from: start) : groups
  }
}

/// The hash of an item is an element of level 0.
extension TreeHash: TreeElement {
  var hash: TreeHash { self }
  var itemCount: Int { 1 }

  static func group(_ elements: [TreeHash], level: Int) -> RootNode { RootNode(items: elements) }

  static func elements(
    of group: RootNode, from start: Int, in items: Range<Int>, _ source: any RootSource
  ) throws -> [TreeHash] {
    if group.items.isEmpty { return try source.hashes(of: [items]) }
    return Array(group.items[items.lowerBound - start..<items.upperBound - start])
  }
}
