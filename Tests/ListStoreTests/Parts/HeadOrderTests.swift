import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListStore

/// The order in parts against a plain array. Three of four hashes end a group, so that parts are
/// short, and every step meets their ends.
@Suite struct HeadOrderTests {
  /// The stored parts of an order; counts reads and writes.
  private final class Shelf {
    private(set) var parts: [Int64: HeadOrder.Part] = [:]
    var (readCount, queryCount, writtenCount, droppedCount) = (0, 0, 0, 0)

    func store(_ order: inout HeadOrder) throws {
      try order.rankParts()
      for rank in order.droppedRanks where parts.removeValue(forKey: rank) != nil {
        droppedCount += 1
      }
      for part in order.parts where part.isChanged {
        parts[try #require(part.rank)] = part
        writtenCount += 1
      }
      order.recordStored()
    }

    /// The order as it is found when the store is opened: the hashes of items are not kept.
    func order() throws -> HeadOrder {
      let stored = parts.sorted { $0.key < $1.key }.map { rank, part in
        HeadOrder.Part(rank: rank, count: part.count, keys: part.keys, hash: part.hash)
      }
      return HeadOrder(stored: stored) { [self] ranks in
        readCount += ranks.count
        queryCount += 1
        return try ranks.map { rank in
          let content = try #require(parts[rank]?.content)
          return try HeadPartCoding.decode(HeadPartCoding.encode(content), of: .parks)
        }
      }
    }
  }

  private var nextSequence: Int64 = 1

  /// Items as a store has them, and as people do.
  private struct Pair: Equatable {
    let stored: StoredItem
    let item: Item

    init(_ sequence: Int64, _ item: Item, content: Int64? = nil) {
      stored = StoredItem(sequence, content: content ?? sequence)
      self.item = item
    }
  }

  private mutating func newItem(id: ItemID? = nil, sequence: Int64? = nil) throws -> Pair {
    // One of four may have any hash.
    let isFree = nextSequence % 4 == 0
    var number = 0
    while true {
      let item = Item(
        id: id ?? ItemID("item-\(nextSequence)"),
        content: try Content(json: "\(nextSequence * 1000 + Int64(number))"))
      number += 1
      guard isFree || Root(RootTree.hashes(of: [item])[0]).bytes[0] & 31 == 0 else { continue }
      defer { nextSequence += 1 }
      return Pair(sequence ?? nextSequence, item, content: nextSequence)
    }
  }

  private mutating func newItems(_ count: Int) throws -> [Pair] {
    try (0..<count).map { _ in try newItem() }
  }

  private mutating func changed(_ pair: Pair) throws -> Pair {
    try newItem(id: pair.item.id, sequence: pair.stored.id.sequence)
  }

  private func order(of pairs: [Pair]) -> HeadOrder {
    HeadOrder(pairs.map(\.stored), RootTree(of: pairs.map(\.item)))
  }

  /// Turns an order of one list into that of another one.
  private func advance(_ order: inout HeadOrder, from old: [Pair], to new: [Pair]) throws {
    let step = try Snapshot(old.map(\.item)).changes(to: Snapshot(new.map(\.item)))
    let update = try order.treeUpdate(step, from: RootTree(of: old.map(\.item)).root) { ranges, _ in
      ranges.flatMap { old[$0].map(\.item) }
    }
    try order.apply(old.map(\.stored).changes(to: new.map(\.stored)), update)
  }

  /// The list with some random edits.
  private mutating func edited(
    _ items: [Pair], editCount: Int, _ random: inout SeededRandom
  ) throws -> [Pair] {
    var items = items
    for _ in 0..<editCount {
      let places = [0, items.count, items.count / 2, .random(in: 0...items.count, using: &random)]
      let place = places.randomElement(using: &random) ?? 0
      let length = min(items.count - place, .random(in: 1...60, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: items.insert(contentsOf: try newItems(.random(in: 1...8, using: &random)), at: place)
      case 1: items.removeSubrange(place..<place + min(length, 8))
      case 2 where place < items.count: items[place] = try changed(items[place])
      case 3 where place < items.count:
        let item = items.remove(at: place)
        items.insert(item, at: .random(in: 0...items.count, using: &random))
      case 4:
        let block = Array(items[place..<place + length])
        items.removeSubrange(place..<place + length)
        items.insert(contentsOf: block, at: .random(in: 0...items.count, using: &random))
      default: items.insert(contentsOf: try newItems(1), at: place)
      }
    }
    return items
  }

  /// Checks that the order is that of a list, and that its parts are those of the list's tree.
  private func expectSame(
    _ order: inout HeadOrder, _ pairs: [Pair], _ context: Comment
  ) throws {
    #expect(order.count == pairs.count, context)
    #expect(try order.items() == pairs.map(\.stored), context)
    let tree = RootTree(of: pairs.map(\.item))
    #expect(try order.tree().root == tree.root, context)
    #expect(order.parts.map(\.hash) == tree.top.parts.map(\.hash), context)
    for index in stride(from: 0, to: pairs.count, by: max(1, pairs.count / 16)) {
      let item = pairs[index].stored
      #expect(try order.item(at: index) == item, context)
      #expect(try order.indexes(of: [item.id]) == [item.id: index], context)
    }
    #expect(try order.indexes(of: [ItemKey(.parks, sequence: ListKey.largestSequence)]) == [:])
  }

  @Test mutating func headOrderMatchesAnArrayAfterAnyHistory() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<6 {
      let shelf = Shelf()
      var items: [Pair] = []
      var order = HeadOrder.empty
      for step in 0..<40 {
        let context = Comment(rawValue: "seed \(random.seed), step \(step)")
        let old = items
        items =
          Int.random(in: 0..<20, using: &random) == 0
          ? [] : try edited(items, editCount: .random(in: 1...4, using: &random), &random)
        if items.count < 40 { items += try newItems(200) }
        try advance(&order, from: old, to: items)
        if Bool.random(using: &random) {
          try shelf.store(&order)
          order = try shelf.order()
          #expect(shelf.parts.count == order.parts.count, context)
        }
        try expectSame(&order, items, context)
      }
    }
  }

  @Test mutating func insertionsRemovalsAndMovesAreRightAtEveryIndex() throws {
    let items = try newItems(70)
    let new = try newItems(1)
    for from in 0...70 {
      var changed = items
      changed.insert(new[0], at: from)
      try expectStep(from: items, to: changed)
      try expectStep(from: changed, to: items)
      for to in stride(from: from % 7, to: 70, by: 7) where from < 70 {
        var moved = items
        moved.insert(moved.remove(at: from), at: to)
        try expectStep(from: items, to: moved)
      }
    }
  }

  private func expectStep(from old: [Pair], to new: [Pair]) throws {
    var order = order(of: old)
    try advance(&order, from: old, to: new)
    #expect(try order.items() == new.map(\.stored))
    #expect(order.parts.map(\.hash) == RootTree(of: new.map(\.item)).top.parts.map(\.hash))
  }

  @Test mutating func emptyListCanBeFilledAndEmptiedAgain() throws {
    let items = try newItems(100)
    var order = HeadOrder.empty
    #expect(order.parts.isEmpty && order.count == 0)
    try advance(&order, from: [], to: items)
    try expectSame(&order, items, "filled")
    try advance(&order, from: items, to: [])
    #expect(order.parts.isEmpty && order.count == 0)
    // One after the other, so that parts run empty and the last one goes.
    order = self.order(of: items)
    for end in stride(from: 99, through: 0, by: -1) {
      try advance(&order, from: Array(items[...end]), to: Array(items[..<end]))
      #expect(try order.items() == items[..<end].map(\.stored))
    }
    #expect(order.parts.isEmpty)
  }

  /// Nil is the end, wherever that is.
  @Test(arguments: [0, 1, 50, 99, nil])
  mutating func ranksSufficeForManyInsertionsAtOneIndex(_ fixed: Int?) throws {
    let shelf = Shelf()
    var items = try newItems(100)
    var order = order(of: items)
    try shelf.store(&order)
    shelf.writtenCount = 0
    let stepCount = 300
    for _ in 0..<stepCount {
      let old = items
      items.insert(try newItem(), at: fixed ?? items.count)
      try advance(&order, from: old, to: items)
      try shelf.store(&order)
    }
    order = try shelf.order()
    try expectSame(&order, items, "at \(fixed ?? -1)")
    // A part or two a step, and all of them only where there was no room between two ranks.
    #expect(shelf.writtenCount < stepCount * 4, "\(shelf.writtenCount) parts written")
  }

  @Test mutating func updatedPartKeepsItsRank() throws {
    let shelf = Shelf()
    var items = try newItems(500)
    var order = order(of: items)
    try shelf.store(&order)
    let ranks = shelf.parts.keys.sorted()
    for _ in 0..<100 {
      let old = items
      // The hash still ends its group.
      repeat {
        items[301] = try changed(old[301])
      } while items[301].stored.content.sequence % 4 == 0
      try advance(&order, from: old, to: items)
      try shelf.store(&order)
    }
    // The hash of a group may end one on the next level, so parts are rarely joined or split.
    #expect(Set(ranks).symmetricDifference(shelf.parts.keys).count <= 4)
    #expect(shelf.droppedCount < 20)
  }

  @Test mutating func movedBlockLeavesTheRanksOfTheOthers() throws {
    let shelf = Shelf()
    let items = try newItems(3000)
    var order = order(of: items)
    try shelf.store(&order)
    (shelf.writtenCount, shelf.droppedCount) = (0, 0)
    let moved = Array(items[2700...] + items[..<2700])
    try advance(&order, from: items, to: moved)
    try shelf.store(&order)
    order = try shelf.order()
    try expectSame(&order, moved, "moved")
    #expect(shelf.writtenCount < shelf.parts.count / 3, "\(shelf.writtenCount) parts written")
  }

  @Test mutating func stepReadsAndWritesOnlyTheChangedParts() throws {
    let shelf = Shelf()
    let items = try newItems(3000)
    var order = order(of: items)
    try shelf.store(&order)
    var next = items
    next[1500] = try changed(items[1500])
    next.remove(at: 20)
    next.insert(next.remove(at: 2500), at: 700)
    order = try shelf.order()
    (shelf.readCount, shelf.writtenCount, shelf.droppedCount) = (0, 0, 0)
    try advance(&order, from: items, to: next)
    try shelf.store(&order)
    // Five places, and rarely the part behind one of them.
    #expect((4...8).contains(shelf.readCount), "\(shelf.readCount)")
    #expect((4...8).contains(shelf.writtenCount), "\(shelf.writtenCount)")
    order = try shelf.order()
    shelf.readCount = 0
    _ = try order.item(at: 1234)
    _ = try order.item(at: 1234)
    #expect(shelf.readCount == 1)
    #expect(try order.indexes(of: [next[2000].stored.id]) == [next[2000].stored.id: 2000])
    // Of the parts whose range holds the key, the one that got an item from elsewhere is wider.
    #expect(shelf.readCount == 2)
  }

  @Test mutating func itemThatStayedIsFoundInOnePartAlthoughOtherPartsHaveWideRanges() throws {
    let shelf = Shelf()
    var items = try newItems(4000)
    var order = order(of: items)
    let old = items
    for place in 0..<10 { items.swapAt(place * 100, 3999 - place * 100) }
    try advance(&order, from: old, to: items)
    try shelf.store(&order)
    for index in stride(from: 1201, to: 2799, by: 7) {
      order = try shelf.order()
      shelf.readCount = 0
      let key = items[index].stored.id
      #expect(try order.indexes(of: [key]) == [key: index])
      #expect(shelf.readCount == 1)
    }
  }

  @Test mutating func stepThatDoesNotStartFromTheHeadIsReportedAsCorrupt() throws {
    let items = try newItems(40)
    var order = order(of: items)
    #expect(throws: StoreError.self) {
      try advance(&order, from: Array(items.dropLast()), to: items)
    }
    #expect(throws: StoreError.self) {
      try order.apply(
        ChangeSet(oldCount: 39, newCount: 39), TreeUpdate(whole: RootTree(of: items.map(\.item))))
    }
  }

  @Test mutating func ranksAtTheLimitsOfTheirRangeAreReplaced() throws {
    let ends: [[Int64]] = [[.min, .max], [.max - 1, .max], [.min, .min + 1], [-1, 0]]
    for ranks in ends {
      var (items, made): ([Pair], [HeadOrder.Part]) = ([], [])
      while made.count != 2 {
        items = try newItems(80)
        made = order(of: items).parts
      }
      let parts = zip(ranks, made).map { rank, part in
        HeadOrder.Part(
          rank: rank, count: part.count, keys: part.keys, hash: part.hash, content: part.content)
      }
      var order = HeadOrder(stored: parts) { _ in [] }
      var changed = items
      while order.parts.count < 4 {
        let old = changed
        changed = [try newItem()] + changed + [try newItem()]
        try advance(&order, from: old, to: changed)
      }
      try order.rankParts()
      let given = try order.parts.map { try #require($0.rank) }
      #expect(zip(given, given.dropFirst()).allSatisfy { $0 < $1 }, "\(ranks)")
      #expect(try order.items() == changed.map(\.stored))
    }
  }
}
