import ListChanges

/// The tree after a step.
package struct TreeUpdate: Sendable {
  package let tree: RootTree
  /// The groups of level 2, or the only group of level 1, for a store that keeps them as rows. The
  /// old ones are of the same level in the old tree.
  package let parts: [TreePiece<RootNode>]

  /// A tree that has nothing of an old one.
  package init(whole tree: RootTree) {
    self.tree = tree
    let parts = tree.top.parts
    self.parts = parts.isEmpty ? [] : [.new(parts)]
  }

  package init(_ tree: RootTree, parts: [TreePiece<RootNode>]) {
    (self.tree, self.parts) = (tree, parts)
  }
}

extension RootNode {
  /// The groups of level 2 below this one; itself on a lower level; none of an empty list.
  package var parts: [RootNode] {
    if itemCount == 0 { return [] }
    return level <= 2 ? [self] : groups.flatMap(\.parts)
  }
}

extension RootTree {
  /// The tree after a step.
  ///
  /// - Parameter source: gives what the tree does not know.
  /// - Complexity: for d changes to n items O(d log n) hashes of groups, and one for each inserted
  ///   or updated item. If no hash in a long stretch ends a group, an insertion in it makes every
  ///   group behind it anew.
  package func advanced(
    by step: ChangeSet<Item>, _ source: any RootSource
  ) throws -> TreeUpdate {
    try updated(TreePiece.all(of: step), source)
  }

  /// The tree after a step, of a tree that knows all its hashes.
  package func advanced(by step: ChangeSet<Item>) -> RootTree {
    do {
      return try advanced(by: step, NoRootSource()).tree
    } catch {
      preconditionFailure("nothing is read: \(error)")
    }
  }

  /// The tree over a new sequence of items.
  func updated(
    _ pieces: [TreePiece<TreeHash>], _ source: any RootSource
  ) throws -> TreeUpdate {
    if pieces.isEmpty { return TreeUpdate(whole: .empty) }
    let known = try KnownHashes(unknownItems(pieces, source), source)
    var grouping = Grouping(of: self, level: 1, known)
    try grouping.divide(pieces)
    var parts: [TreePiece<RootNode>]?
    while true {
      if grouping.level == 2 { parts = grouping.groups }
      if let top = try grouping.onlyGroup() {
        return TreeUpdate(RootTree(top), parts: parts ?? grouping.parts(top: top))
      }
      var next = Grouping(of: self, level: grouping.level + 1, known)
      try next.divide(grouping.groups)
      grouping = next
    }
  }

  /// The items whose unknown hashes are needed, but for rare cases in which more are.
  private func unknownItems(
    _ pieces: [TreePiece<TreeHash>], _ source: any RootSource
  ) throws -> [Range<Int>] {
    var needed: [Range<Int>] = []
    func need(_ items: Range<Int>) throws {
      if items.isEmpty { return }
      let group = try group(ofLevel: 1, holding: items.lowerBound, source).group
      if group.items.isEmpty { needed.append(items) }
    }
    var isOpen = false
    for (number, piece) in pieces.enumerated() {
      switch piece {
      case .new(let hashes): isOpen = hashes.last?.endsGroup == false
      case .old(let items):
        var rest = items
        if try isOpen || start(ofLevel: 1, holding: items.lowerBound, source) < items.lowerBound {
          let (first, start) = try group(ofLevel: 1, holding: items.lowerBound, source)
          rest = items.clamped(
            to: start + first.itemCount..<max(start + first.itemCount, itemCount))
          try need(items.lowerBound..<items.upperBound - rest.count)
        }
        isOpen = false
        if items.upperBound == itemCount, number == pieces.count - 1 { continue }
        let last = min(items.upperBound, itemCount - 1)
        let start = try start(ofLevel: 1, holding: last, source)
        if start < items.upperBound {
          isOpen = true
          try need(max(start, rest.lowerBound)..<max(start, rest.upperBound))
        }
      }
    }
    return needed
  }
}

/// Divides the elements of a level of a new tree into groups.
private struct Grouping {
  let old: RootTree
  /// That of the groups.
  let level: Int
  let source: KnownHashes
  private(set) var groups: [TreePiece<RootNode>] = []

  init(of old: RootTree, level: Int, _ source: KnownHashes) {
    (self.old, self.level, self.source) = (old, level, source)
  }

  mutating func divide<Element: TreeElement>(_ pieces: [TreePiece<Element>]) throws {
    var open: [Element] = []
    var groups = TreePieces<RootNode>()
    func take(_ elements: some Collection<Element>) {
      for element in elements {
        open.append(element)
        if element.hash.ends(groupOf: open.count) { close() }
      }
    }
    func close() {
      groups.append(Element.group(open, level: level))
      open = []
    }
    for (number, piece) in pieces.enumerated() {
      switch piece {
      case .new(let elements): take(elements)
      case .old(var items):
        while !items.isEmpty {
          let isLast = number == pieces.count - 1
          if open.isEmpty, let end = try endOfWholeGroups(in: items, isLast: isLast) {
            groups.append(old: items.lowerBound..<end)
            items = end..<items.upperBound
          } else {
            let elements = try Element.elements(inFirstGroupOf: items, level: level, old, source)
            take(elements)
            items = items.dropFirst(elements.reduce(0) { $0 + $1.itemCount })
          }
        }
      }
    }
    if !open.isEmpty { close() }
    self.groups = groups.finished()
  }

  /// The end of the longest sequence of old groups, from the first item of some on, that are groups
  /// of the new tree too; nil if there is none.
  ///
  /// - Parameter isLast: whether nothing follows the items in the new list. The last group of a
  ///   level may end only because the level does.
  private func endOfWholeGroups(in items: Range<Int>, isLast: Bool) throws -> Int? {
    guard level <= old.top.level,
      try old.start(ofLevel: level, holding: items.lowerBound, source) == items.lowerBound
    else { return nil }
    var end = items.upperBound
    if end < old.itemCount || !isLast {
      end = try old.start(ofLevel: level, holding: min(end, old.itemCount - 1), source)
    }
    return end > items.lowerBound ? end : nil
  }

  /// The top of the new tree, if this level has one group, or is that of the old tree.
  func onlyGroup() throws -> RootNode? {
    guard groups.count == 1 else { return nil }
    switch groups[0] {
    case .new(let groups): return groups.count == 1 ? groups[0] : nil
    case .old(let items):
      if items.count == old.itemCount { return old.top }
      let group = try old.group(ofLevel: level, holding: items.lowerBound, source).group
      return group.itemCount == items.count ? group : nil
    }
  }

  /// The parts of a tree whose top is on level 1, or that is the old one.
  func parts(top: RootNode) -> [TreePiece<RootNode>] {
    top === old.top ? [.old(0..<old.itemCount)] : [.new([top])]
  }
}

extension TreeElement {
  /// Elements of the level below a level: those of the old group that holds the first one of some
  /// items, up to the end of the group or of the items.
  fileprivate static func elements(
    inFirstGroupOf items: Range<Int>, level: Int, _ old: RootTree, _ source: any RootSource
  ) throws -> [Self] {
    if level > old.top.level { return [old.top] as? [Self] ?? [] }
    let (group, start) = try old.group(ofLevel: level, holding: items.lowerBound, source)
    return try elements(
      of: group, from: start, in: items.clamped(to: start..<start + group.itemCount), source)
  }
}

/// Hashes that were read ahead together.
private final class KnownHashes: RootSource {
  private let source: any RootSource
  private let known: [Int: TreeHash]

  init(_ ranges: [Range<Int>], _ source: any RootSource) throws {
    self.source = source
    let hashes = ranges.isEmpty ? [] : try source.hashes(of: ranges)
    known = Dictionary(uniqueKeysWithValues: zip(ranges.joined(), hashes))
  }

  func groups(from item: Int) throws -> [RootNode] { try source.groups(from: item) }

  func hashes(of ranges: [Range<Int>]) throws -> [TreeHash] {
    let items = Array(ranges.joined())
    let found = items.compactMap { known[$0] }
    return found.count == items.count ? found : try source.hashes(of: ranges)
  }
}

// MARK: The pieces of a step

extension TreePiece<TreeHash> {
  /// The items after a step.
  fileprivate static func all(of step: ChangeSet<Item>) -> [TreePiece<TreeHash>] {
    all(
      kept: Alignment(of: step).runs,
      inserted: (step.inserted.map(\.to), RootTree.hashes(of: step.inserted.map(\.element))),
      updated: (step.updated.map(\.to), RootTree.hashes(of: step.updated.map(\.new))))
  }
}

extension ChangeSet {
  /// Whether advancing the tree by the changes costs less than computing it again.
  package var isSmall: Bool { count * 8 < newCount }
}
