/// The items of a list by name, under successive steps: a sequence of segments, each a run of
/// consecutive names. Finding, removing or inserting an item does not move the others.
///
///     names     0 1 2 3 4 5 …            of the items of the first list, n in number
///               n + 1, n + 2, …          of items inserted later
///     segments  0 1 │ n + 1 │ 2 3 │ 5 …  after inserting n + 1 at 2 and removing 4
///
/// It is a B-tree whose slots count the items below them. A full node is split on the way down, so
/// no way back up is needed. An empty node stays in the tree, which costs little (T. Johnson and
/// D. Shasha, "B-trees with inserts and deletes: why free-at-empty is better than merge-at-half",
/// 1993).
///
/// - Complexity: O(log s) for an operation after s operations, for any number of items.
@usableFromInline
struct Rope: Sendable {
  /// Measured: 16 and 64 are as fast.
  @usableFromInline static let nodeCapacity = 32
  /// A node is split at one slot below its capacity. With a capacity of 4, a half could be full
  /// again at once, and each operation would add a level.
  static let leastNodeCapacity = 5

  /// A segment in a leaf, else a node one level down.
  struct Slot {
    /// The number of items.
    var count: Int
    /// The name of the first item in a leaf, else the number of the node below.
    var value: Int
  }

  /// The number of items.
  @usableFromInline private(set) var count: Int
  /// The number of levels of nodes above the leaves.
  private(set) var height = 0
  private var root = 0
  private let nodeCapacity: Int
  /// Node k has the slots from k × `nodeCapacity` on, as many as `slotCounts[k]`.
  private var slots: [Slot] = []
  private var slotCounts: [Int] = []
  /// The node above each node; nothing reads that of the root.
  private var parents: [Int] = []
  /// The leaf of each tracked name.
  private var leaves: [Int: Int] = [:]

  /// Makes the rope of a list whose items are named by their indexes.
  ///
  /// - Parameter nodeCapacity: the slots of a node, 5 or more.
  @usableFromInline
  init(count: Int, nodeCapacity: Int = Rope.nodeCapacity) {
    precondition(
      nodeCapacity >= Self.leastNodeCapacity, "a node that is split must leave room in both halves")
    self.count = count
    self.nodeCapacity = nodeCapacity
    root = addNode()
    if count > 0 { insertSlot(Slot(count: count, value: 0), at: 0, of: root) }
  }

  /// The first name for inserted items. It skips one number, so that their segments never join
  /// those of the first list.
  @inlinable
  static func firstFreeName(after count: Int) -> Int { count + 1 }

  /// The number of nodes, leaves included.
  var nodeCount: Int { slotCounts.count }

  /// The name of the item at an index.
  @usableFromInline
  func name(at index: Int) -> Int {
    precondition(index >= 0 && index < count, "an index outside of the list")
    var (node, offset) = (root, index)
    for _ in 0..<height { node = slots[slot(holding: &offset, in: node)].value }
    return slots[slot(holding: &offset, in: node)].value + offset
  }

  /// Removes the item at an index.
  ///
  /// - Returns: its name.
  @usableFromInline
  mutating func remove(at index: Int) -> Int {
    precondition(index >= 0 && index < count, "an index outside of the list")
    var (node, offset) = (rootWithRoom(), index)
    for level in 1..<height + 1 {
      var slot = slot(holding: &offset, in: node)
      if splitIfFull(slot, of: node, isLeaf: level == height), offset >= slots[slot].count {
        offset -= slots[slot].count
        slot += 1
      }
      slots[slot].count -= 1
      node = slots[slot].value
    }
    count -= 1
    return removeFromLeaf(node, offset)
  }

  /// Inserts an item so that its index is the given one.
  ///
  /// - Parameter isTracked: whether ``index(of:)`` finds it until it is removed. In a rope that
  ///   tracks names, every inserted name is tracked.
  @usableFromInline
  mutating func insert(_ name: Int, at index: Int, isTracked: Bool = false) {
    precondition(index >= 0 && index <= count, "an index outside of the list")
    var (node, offset) = (rootWithRoom(), index)
    for level in 1..<height + 1 {
      var slot = slot(reaching: &offset, in: node)
      if splitIfFull(slot, of: node, isLeaf: level == height), offset > slots[slot].count {
        offset -= slots[slot].count
        slot += 1
      }
      slots[slot].count += 1
      node = slots[slot].value
    }
    count += 1
    insertIntoLeaf(node, offset, name, isTracked)
  }

  /// Makes ``index(of:)`` find the item at an index.
  @usableFromInline
  mutating func track(at index: Int) { insert(remove(at: index), at: index, isTracked: true) }

  /// The index of a tracked item; nil when the rope does not hold it.
  @usableFromInline
  func index(of name: Int) -> Int? {
    guard var node = leaves[name] else { return nil }
    // In a leaf the slot of the name, above it that of the node below.
    var (index, value) = (0, name)
    for _ in 0...height {
      for slot in slots[range(of: node)] {
        if slot.value == value { break }
        index += slot.count
      }
      (value, node) = (node, parents[node])
    }
    return index
  }

  /// Calls a closure for each segment in the order of the list: `count` names from `start` on.
  @usableFromInline
  func forEachSegment(_ body: (_ start: Int, _ count: Int) -> Void) {
    forEachSegment(below: root, height, body)
  }

  private func forEachSegment(
    below node: Int, _ level: Int, _ body: (_ start: Int, _ count: Int) -> Void
  ) {
    for slot in slots[range(of: node)] {
      if level > 0 {
        forEachSegment(below: slot.value, level - 1, body)
      } else {
        body(slot.value, slot.count)
      }
    }
  }
}

/// Leaves.
extension Rope {
  private mutating func removeFromLeaf(_ leaf: Int, _ index: Int) -> Int {
    var offset = index
    let position = slot(holding: &offset, in: leaf)
    let segment = slots[position]
    let rest = Slot(count: segment.count - offset - 1, value: segment.value + offset + 1)
    switch (offset, rest.count) {
    case (0, 0): removeSlot(position, of: leaf)
    case (0, _): slots[position] = rest
    case (_, 0): slots[position].count = offset
    default:
      slots[position].count = offset
      insertSlot(rest, at: position + 1, of: leaf)
    }
    let name = segment.value + offset
    if !leaves.isEmpty { leaves[name] = nil }
    return name
  }

  private mutating func insertIntoLeaf(_ leaf: Int, _ index: Int, _ name: Int, _ isTracked: Bool) {
    let item = Slot(count: 1, value: name)
    if isTracked { leaves[name] = leaf }
    let first = leaf * nodeCapacity
    guard index > 0 else { return insertSlot(item, at: first, of: leaf) }
    var offset = index
    let position = slot(reaching: &offset, in: leaf)
    let segment = slots[position]
    if offset == segment.count {
      // A tracked item has its own segment, so that its leaf stays known after splits.
      if !isTracked, segment.value + segment.count == name {
        slots[position].count += 1
      } else {
        insertSlot(item, at: position + 1, of: leaf)
      }
    } else {
      slots[position].count = offset
      let rest = Slot(count: segment.count - offset, value: segment.value + offset)
      insertSlot(rest, at: position + 1, of: leaf)
      insertSlot(item, at: position + 1, of: leaf)
    }
  }
}

/// Nodes.
extension Rope {
  private func range(of node: Int) -> Range<Int> {
    node * nodeCapacity..<node * nodeCapacity + slotCounts[node]
  }

  /// The slot of the item at an offset; the offset becomes that within the slot.
  private func slot(holding offset: inout Int, in node: Int) -> Int {
    var slot = node * nodeCapacity
    while offset >= slots[slot].count {
      offset -= slots[slot].count
      slot += 1
    }
    return slot
  }

  /// The first slot into or behind which an item at an offset may be inserted.
  private func slot(reaching offset: inout Int, in node: Int) -> Int {
    var slot = node * nodeCapacity
    while offset > slots[slot].count {
      offset -= slots[slot].count
      slot += 1
    }
    return slot
  }

  /// An operation adds up to two slots to a node.
  private func isFull(_ node: Int) -> Bool { slotCounts[node] > nodeCapacity - 2 }

  /// The root, with a new one above it where it was full.
  private mutating func rootWithRoom() -> Int {
    guard isFull(root) else { return root }
    let below = root
    root = addNode()
    parents[below] = root
    height += 1
    insertSlot(Slot(count: count, value: below), at: root * nodeCapacity, of: root)
    _ = splitIfFull(root * nodeCapacity, of: root, isLeaf: height == 1)
    return root
  }

  /// Splits the node below a slot when it is full; its second half gets the next slot.
  private mutating func splitIfFull(_ slot: Int, of node: Int, isLeaf: Bool) -> Bool {
    let below = slots[slot].value
    guard isFull(below) else { return false }
    let next = addNode()
    parents[next] = node
    let kept = slotCounts[below] / 2
    var movedItemCount = 0
    for position in kept..<slotCounts[below] {
      let moved = slots[below * nodeCapacity + position]
      slots[next * nodeCapacity + position - kept] = moved
      movedItemCount += moved.count
      if !isLeaf {
        parents[moved.value] = next
      } else if !leaves.isEmpty, leaves[moved.value] != nil {
        leaves[moved.value] = next
      }
    }
    slotCounts[next] = slotCounts[below] - kept
    slotCounts[below] = kept
    slots[slot].count -= movedItemCount
    insertSlot(Slot(count: movedItemCount, value: next), at: slot + 1, of: node)
    return true
  }

  private mutating func addNode() -> Int {
    slots.append(contentsOf: repeatElement(Slot(count: 0, value: 0), count: nodeCapacity))
    slotCounts.append(0)
    parents.append(root)
    return slotCounts.count - 1
  }

  private mutating func insertSlot(_ slot: Slot, at position: Int, of node: Int) {
    var free = range(of: node).upperBound
    while free > position {
      slots[free] = slots[free - 1]
      free -= 1
    }
    slots[position] = slot
    slotCounts[node] += 1
  }

  private mutating func removeSlot(_ position: Int, of node: Int) {
    for slot in position + 1..<range(of: node).upperBound { slots[slot - 1] = slots[slot] }
    slotCounts[node] -= 1
  }
}
