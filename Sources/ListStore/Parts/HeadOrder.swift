import ListChanges
import ListModel

/// The order of a list's newest version, as keys in parts that are read when needed, with the
/// hashes of the groups of its tree (see ``/ListModel/Root``).
///
/// A part is a group of level 2 of the tree, about a thousand items, or the only group of a shorter
/// list: the parts follow from the list alone. Reading or changing one item of a long list reads
/// one part. Parts that are needed together are read by one query. An order is valid inside the
/// transaction that created it.
public struct HeadOrder {
  package struct Part: Sendable {
    /// The key of the stored part; nil for one that was not stored yet.
    package internal(set) var rank: Int64?
    package let count: Int
    /// The lowest to the highest item key.
    package let keys: ClosedRange<Int64>
    /// The hash of the group.
    package let hash: TreeHash
    /// The content; nil until the part is read.
    package internal(set) var content: Content?
    /// Whether the part must be stored again.
    package internal(set) var isChanged = false

    package struct Content: Sendable {
      package let items: [StoredItem]
      /// The groups of level 1. The hashes of their items may be unknown.
      package let groups: [RootNode]
    }
  }

  package internal(set) var parts: [Part]
  /// The ranks of stored parts that must be deleted.
  package internal(set) var droppedRanks: [Int64] = []
  public private(set) var count: Int
  private let read: (_ ranks: [Int64]) throws -> [Part.Content]

  /// - Parameter read: returns the contents of stored parts, in the order of the ranks.
  package init(
    stored parts: [Part], read: @escaping (_ ranks: [Int64]) throws -> [Part.Content]
  ) {
    self.parts = parts
    count = parts.reduce(0) { $0 + $1.count }
    self.read = read
  }

  /// Makes an order that is not stored yet.
  package init(_ items: [StoredItem], _ tree: RootTree) {
    var rest = items[...]
    let parts = tree.top.parts.map { group in
      defer { rest = rest.dropFirst(group.itemCount) }
      return Part(new: Array(rest.prefix(group.itemCount)), group)
    }
    self.init(stored: parts) { _ in preconditionFailure("every part has its content") }
  }

  /// Makes an order that answers queries for items only.
  package init(withoutTree items: [StoredItem]) {
    let part = Part(
      rank: nil, count: items.count, keys: items.keys, hash: RootTree.empty.top.hash,
      content: Part.Content(items: items, groups: []))
    self.init(stored: items.isEmpty ? [] : [part]) { _ in
      preconditionFailure("the part has its content")
    }
  }

  /// The order of a list without items.
  package static var empty: HeadOrder { HeadOrder([], .empty) }

  /// The index of the first item of each part, and the number of all items.
  var starts: [Int] { parts.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) } }

  mutating func replaceParts(with parts: [Part]) {
    self.parts = parts
    count = parts.reduce(0) { $0 + $1.count }
  }
}

extension HeadOrder.Part {
  /// Makes a stored part, whose content was not read yet.
  ///
  /// - Throws: `StoreError.corrupt` if the row cannot be that of a part.
  package init(
    stored rank: Int64, count: Int, lowest: Int64, highest: Int64, hash: [UInt8]
  ) throws(StoreError) {
    guard lowest <= highest, (1...HeadPartCoding.maximumCount).contains(count),
      let hash = TreeHash(bytes: hash)
    else {
      throw .corrupt(reason: "a stored part has no range, no count, or no hash, of items")
    }
    self.init(rank: rank, count: count, keys: lowest...highest, hash: hash)
  }

  init(new items: [StoredItem], _ group: RootNode) {
    self.init(
      rank: nil, count: items.count, keys: items.keys, hash: group.hash,
      content: Content(items: items, groups: group.level == 1 ? [group] : group.groups),
      isChanged: true)
  }
}

extension [StoredItem] {
  /// The range of the item keys; for an empty list, a range without item keys.
  fileprivate var keys: ClosedRange<Int64> {
    let keys = lazy.map(\.id.rawValue)
    guard let lowest = keys.min(), let highest = keys.max() else { return 0...0 }
    return lowest...highest
  }
}

extension HeadOrder {
  /// Returns all items in order.
  ///
  /// - Complexity: O(n) for n items.
  public func items() throws -> [StoredItem] {
    try contents(ofParts: Array(parts.indices)).reduce(into: []) { items, part in
      if items.isEmpty { items.reserveCapacity(count) }
      items += part.items
    }
  }

  /// Reads the contents of parts, and keeps them.
  mutating func load(_ positions: [Int]) throws {
    let missing = positions.filter { parts[$0].content == nil }
    for (position, content) in zip(missing, try contents(ofParts: missing)) {
      parts[position].content = content
    }
  }

  /// Returns the contents of parts, in the order of the positions.
  private func contents(ofParts positions: [Int]) throws -> [Part.Content] {
    let missing = positions.filter { parts[$0].content == nil }
    var found = missing.isEmpty ? [][...] : try read(missing.map { parts[$0].rank ?? 0 })[...]
    return try positions.map { position in
      if let content = parts[position].content { return content }
      guard let content = found.popFirst() else {
        throw StoreError.corrupt(reason: "a stored part of the head is missing")
      }
      try check(content, of: parts[position])
      return content
    }
  }

  private func check(_ content: Part.Content, of part: Part) throws(StoreError) {
    guard content.items.count == part.count else {
      throw .corrupt(
        reason: "a stored part has \(content.items.count) of \(part.count) items")
    }
    // Items are searched by these ranges, so a wrong range would hide an item.
    guard content.items.keys == part.keys else {
      throw .corrupt(reason: "a stored part has other items than its range says")
    }
    guard content.group(isOnly: parts.count == 1).hash == part.hash else {
      throw .corrupt(reason: "a stored part has other groups than its hash says")
    }
  }
}

// MARK: The tree

extension HeadOrder.Part.Content {
  /// Returns the group of the tree that the part represents.
  ///
  /// - Parameter isOnly: whether the list has no other part.
  fileprivate func group(isOnly: Bool) -> RootNode {
    isOnly && groups.count == 1 ? groups[0] : RootNode(groups: groups, level: 2)
  }
}

extension HeadOrder {
  /// Returns the tree over the parts.
  ///
  /// - Complexity: O(p / 32) hashes for p parts.
  package mutating func tree() throws -> RootTree {
    if parts.isEmpty { return .empty }
    if parts.count > 1 {
      let groups = parts.map { RootNode(level: 2, itemCount: $0.count, hash: $0.hash) }
      return RootTree(above: groups, level: 2)
    }
    try load([0])
    guard let content = parts[0].content else { preconditionFailure("the part was loaded") }
    return RootTree(content.group(isOnly: true))
  }

  /// Returns the tree over the parts, after comparing its root.
  ///
  /// - Throws: `StoreError.corrupt` when the parts lead to another root.
  mutating func checkedTree(_ root: Root) throws -> RootTree {
    let tree = try tree()
    guard tree.root == root else {
      throw StoreError.corrupt(reason: "the stored parts of the head do not have its root")
    }
    return tree
  }

  /// Returns the tree after a step.
  ///
  /// - Parameters:
  ///   - step: a change set from this version.
  ///   - root: the root of this version.
  ///   - oldItems: returns the items of this version at some indexes.
  /// - Throws: `StoreError.corrupt` when the parts lead to another root.
  /// - Complexity: O(p / 32) hashes for p parts; for d changes O(d log n) more, and the items of
  ///   the groups that they touch.
  package mutating func treeUpdate(
    _ step: ChangeSet<Item>, from root: Root,
    oldItems: (_ ranges: [Range<Int>], inout HeadOrder) throws -> [Item]
  ) throws -> TreeUpdate {
    let tree = try checkedTree(root)
    return try withoutActuallyEscaping(oldItems) { oldItems in
      let source = HeadSource(of: self, oldItems)
      let update = try tree.advanced(by: step, source)
      parts = source.order.parts
      return update
    }
  }

  /// Returns the items that almost always suffice to hash the groups of level 1 again: the items of
  /// each group in which an item changes, and those of the next group if that item is the last of
  /// its group.
  ///
  /// - Precondition: Each index is one of the list's.
  package mutating func itemsToHash(changing indexes: [Int]) throws -> [StoredItem] {
    let indexes = Set(indexes.flatMap { [$0, min($0 + 1, count - 1)] }).sorted()
    let places = places(of: indexes)
    try load(places.map(\.position).withoutRepetitions)
    var found: [StoredItem] = []
    var last = (position: -1, end: 0)
    for place in places where place.position != last.position || place.offset >= last.end {
      guard let content = parts[place.position].content else { continue }
      var start = 0
      for group in content.groups {
        if place.offset < start + group.itemCount {
          found += content.items[start..<min(content.items.count, start + group.itemCount)]
          last = (place.position, start + group.itemCount)
          break
        }
        start += group.itemCount
      }
    }
    return found
  }
}

/// The source from which the tree of a head reads nodes and items when it needs them.
private final class HeadSource: RootSource {
  fileprivate var order: HeadOrder
  /// The index of the first item of each part.
  private let starts: [Int]
  private let oldItems: ([Range<Int>], inout HeadOrder) throws -> [Item]

  init(
    of order: HeadOrder, _ oldItems: @escaping ([Range<Int>], inout HeadOrder) throws -> [Item]
  ) {
    self.order = order
    self.oldItems = oldItems
    starts = order.starts
  }

  func groups(from item: Int) throws -> [RootNode] {
    let position = starts.partitioningIndex { $0 >= item }
    precondition(starts[position] == item, "a part begins there")
    try order.load([position])
    return order.parts[position].content?.groups ?? []
  }

  func hashes(of ranges: [Range<Int>]) throws -> [TreeHash] {
    RootTree.hashes(of: try oldItems(ranges, &order))
  }
}
