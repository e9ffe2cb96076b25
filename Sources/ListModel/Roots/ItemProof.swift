/// Shows that a list with a certain root has an item at an index, without the other items.
///
/// It has the groups of the tree (see ``Root``) that lead from the item to the root, each with the
/// hashes of its elements. The hash of a group covers the number of items below it; so the groups
/// that stand before the path, or behind it, prove the index.
public struct ItemProof: Equatable, Sendable {
  package struct Group: Equatable, Sendable {
    package let itemCount: Int
    /// Those of its elements.
    package let hashes: [TreeHash]

    /// - Precondition: There are 1 to 256 hashes.
    package init(itemCount: Int, hashes: [TreeHash]) {
      precondition((1...RootNode.largestGroup).contains(hashes.count), "no group of a tree")
      (self.itemCount, self.hashes) = (itemCount, hashes)
    }

    fileprivate func hash(level: Int) -> TreeHash {
      TreeHash(ofGroup: hashes, level: level, itemCount: itemCount)
    }
  }

  /// A group of the path.
  package struct Step: Equatable, Sendable {
    package let group: Group
    /// The index of the element of the path in the group.
    package let position: Int
    /// Above level 1, the groups in this group that are before the path, or those that are behind
    /// it; empty on level 1.
    package let neighbors: [Group]
    package let neighborsAreBefore: Bool

    package init(group: Group, position: Int, neighbors: [Group], neighborsAreBefore: Bool) {
      (self.group, self.position) = (group, position)
      (self.neighbors, self.neighborsAreBefore) = (neighbors, neighborsAreBefore)
    }
  }

  /// From level 1 up.
  package let path: [Step]

  package init(path: [Step]) { self.path = path }

  /// Thrown by a proof that contradicts itself or the item.
  public enum Contradiction: Error, Equatable, Sendable {
    /// The element of the path is another than the one below, or, on level 1, than the item.
    case element(level: Int)
    /// The groups beside the path are others than the group says.
    case neighbors(level: Int)
    /// The number of items is not that of the elements.
    case count(level: Int)
  }

  /// The index of an item, and the number of items and the root of its list, that follow from the
  /// proof.
  ///
  /// - Complexity: O(l) hashes of groups for l levels.
  package func place(
    of item: Item
  ) throws(Contradiction) -> (index: Int, count: Int, root: Root) {
    var hasher = ItemHasher()
    var (hash, count, index) = (hasher.hash(item), 1, 0)
    for (level, step) in zip(1..., path) {
      let group = step.group
      guard group.hashes.indices.contains(step.position), group.hashes[step.position] == hash
      else { throw .element(level: level) }
      index += try itemsBefore(step, level: level, count: count)
      (hash, count) = (group.hash(level: level), group.itemCount)
    }
    return (index, count, Root(hash))
  }

  /// The number of items in the group of a step before its element.
  ///
  /// - Parameter count: the number of the items below the element.
  private func itemsBefore(
    _ step: Step, level: Int, count: Int
  ) throws(Contradiction) -> Int {
    let hashes = step.group.hashes
    if level == 1 {
      guard step.group.itemCount == hashes.count else { throw .count(level: level) }
      guard step.neighbors.isEmpty else { throw .neighbors(level: level) }
      return step.position
    }
    let places =
      step.neighborsAreBefore ? 0..<step.position : step.position + 1..<hashes.count
    guard step.neighbors.count == places.count,
      zip(step.neighbors, places).allSatisfy({ $0.hash(level: level - 1) == hashes[$1] })
    else { throw .neighbors(level: level) }
    let neighborCount = step.neighbors.reduce(0) { $0.adding($1.itemCount) }
    let before =
      step.neighborsAreBefore
      ? neighborCount : step.group.itemCount.subtracting(count).subtracting(neighborCount)
    guard before >= 0, before <= step.group.itemCount else { throw .count(level: level) }
    return before
  }
}

extension Int {
  /// The difference; `Int.min` where it would be less.
  fileprivate func subtracting(_ count: Int) -> Int {
    let (difference, overflows) = subtractingReportingOverflow(count)
    return overflows ? .min : difference
  }
}

extension RootTree {
  /// - Precondition: The tree knows all its hashes, and has an item at the index.
  /// - Complexity: O(log n) for n items.
  package func proof(ofItemAt index: Int) -> ItemProof {
    precondition((0..<itemCount).contains(index), "no item is there")
    var path: [ItemProof.Step] = []
    var (group, start) = (top, 0)
    while group.level > 1 {
      var position = 0
      while start + group.groups[position].itemCount <= index {
        start += group.groups[position].itemCount
        position += 1
      }
      path.append(ItemProof.Step(through: position, of: group))
      group = group.groups[position]
    }
    path.append(
      ItemProof.Step(
        group: .init(itemCount: group.itemCount, hashes: group.items), position: index - start,
        neighbors: [], neighborsAreBefore: true))
    return ItemProof(path: path.reversed())
  }
}

extension ItemProof.Step {
  fileprivate init(through position: Int, of group: RootNode) {
    let (before, behind) = (group.groups[..<position], group.groups[(position + 1)...])
    let neighborsAreBefore = before.count <= behind.count
    self.init(
      group: ItemProof.Group(group), position: position,
      neighbors: (neighborsAreBefore ? before : behind).map(ItemProof.Group.init),
      neighborsAreBefore: neighborsAreBefore)
  }
}

extension ItemProof.Group {
  fileprivate init(_ group: RootNode) {
    self.init(
      itemCount: group.itemCount,
      hashes: group.level == 1 ? group.items : group.groups.map(\.hash))
  }
}
