import ListChanges
import TestSupport
import Testing

@testable import ListStore

/// The order in parts against a plain array, with parts so small that every step meets their ends.
@Suite struct HeadOrderTests {
  static let tiny = HeadOrder.PartSize(target: 3, maximum: 6)

  /// The stored parts of an order; counts reads and writes.
  private final class Shelf {
    private(set) var parts: [Int64: [StoredItem]] = [:]
    var (readCount, queryCount, writtenCount, droppedCount) = (0, 0, 0, 0)

    func store(_ order: inout HeadOrder) throws {
      try order.rankParts()
      for rank in order.droppedRanks where parts.removeValue(forKey: rank) != nil {
        droppedCount += 1
      }
      for part in order.parts where part.isChanged {
        parts[try #require(part.rank)] = part.items
        writtenCount += 1
      }
      order.recordStored()
    }

    /// The order as it is found when the store is opened.
    func order(size: HeadOrder.PartSize = tiny) throws -> HeadOrder {
      let stored = try parts.sorted { $0.key < $1.key }.map { rank, items in
        let keys = items.map(\.id.rawValue)
        return HeadOrder.Part(
          rank: rank, count: items.count,
          keys: try #require(keys.min())...(try #require(keys.max())), items: nil)
      }
      return HeadOrder(stored: stored, size: size) { [self] ranks in
        readCount += ranks.count
        queryCount += 1
        return ranks.map { parts[$0] ?? [] }
      }
    }
  }

  private var nextSequence: Int64 = 1

  private mutating func newItems(_ count: Int) -> [StoredItem] {
    defer { nextSequence += Int64(count) }
    return (0..<Int64(count)).map { StoredItem(nextSequence + $0) }
  }

  /// The list with some random edits.
  private mutating func edited(
    _ items: [StoredItem], editCount: Int, _ random: inout SeededRandom
  ) -> [StoredItem] {
    var items = items
    for _ in 0..<editCount {
      let places = [0, items.count, items.count / 2, .random(in: 0...items.count, using: &random)]
      let place = places.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<5, using: &random) {
      case 0: items.insert(contentsOf: newItems(.random(in: 1...8, using: &random)), at: place)
      case 1 where place < items.count:
        items.removeSubrange(place..<min(items.count, place + .random(in: 1...8, using: &random)))
      case 2 where place < items.count:
        items[place] = StoredItem(items[place].id.sequence, content: nextSequence)
        nextSequence += 1
      case 3 where place < items.count:
        let item = items.remove(at: place)
        items.insert(item, at: .random(in: 0...items.count, using: &random))
      default: items.insert(contentsOf: newItems(1), at: place)
      }
    }
    return items
  }

  private func expectSame(
    _ order: inout HeadOrder, _ items: [StoredItem], _ context: Comment
  ) throws {
    #expect(order.count == items.count, context)
    #expect(try order.items() == items, context)
    #expect(order.parts.allSatisfy { (1...Self.tiny.maximum).contains($0.count) }, context)
    for (index, item) in items.enumerated() {
      #expect(try order.item(at: index) == item, context)
      #expect(try order.indexes(of: [item.id]) == [item.id: index], context)
    }
    #expect(try order.indexes(of: [ItemKey(.parks, sequence: ListKey.largestSequence)]) == [:])
  }

  @Test mutating func headOrderMatchesAnArrayAfterAnyHistory() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<30 {
      let shelf = Shelf()
      var items: [StoredItem] = []
      var order = HeadOrder(items, size: Self.tiny)
      for step in 0..<60 {
        let context = Comment(rawValue: "seed \(random.seed), step \(step)")
        let old = items
        items =
          Int.random(in: 0..<20, using: &random) == 0
          ? [] : edited(items, editCount: .random(in: 1...4, using: &random), &random)
        if items.count < 40 { items += newItems(40) }
        try order.apply(old.changes(to: items))
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
    let items = newItems(41)
    let new = newItems(1)
    for from in 0...41 {
      var changed = items
      changed.insert(new[0], at: from)
      try expectStep(from: items, to: changed)
      try expectStep(from: changed, to: items)
      for to in 0..<41 where from < 41 {
        var moved = items
        moved.insert(moved.remove(at: from), at: to)
        try expectStep(from: items, to: moved)
      }
    }
  }

  private func expectStep(from old: [StoredItem], to new: [StoredItem]) throws {
    var order = HeadOrder(old, size: Self.tiny)
    try order.apply(old.changes(to: new))
    #expect(try order.items() == new)
  }

  @Test mutating func emptyListCanBeFilledAndEmptiedAgain() throws {
    let items = newItems(100)
    var order = HeadOrder([], size: Self.tiny)
    #expect(order.parts.isEmpty && order.count == 0)
    try order.apply([].changes(to: items))
    try expectSame(&order, items, "filled")
    try order.apply(items.changes(to: []))
    #expect(order.parts.isEmpty && order.count == 0)
    // One after the other, so that parts run empty and the last one goes.
    order = HeadOrder(items, size: Self.tiny)
    for end in stride(from: 99, through: 0, by: -1) {
      try order.apply(Array(items[...end]).changes(to: Array(items[..<end])))
      #expect(try order.items() == Array(items[..<end]))
    }
    #expect(order.parts.isEmpty)
  }

  /// Nil is the end, wherever that is.
  @Test(arguments: [0, 1, 500, 999, nil])
  mutating func ranksSufficeForThousandsOfSplitsAtOneIndex(_ fixed: Int?) throws {
    let shelf = Shelf()
    var items = newItems(1000)
    var order = HeadOrder(items, size: Self.tiny)
    try shelf.store(&order)
    shelf.writtenCount = 0
    let stepCount = 3000
    for _ in 0..<stepCount {
      let old = order.count
      let (new, place) = (newItems(1)[0], fixed ?? items.count)
      items.insert(new, at: place)
      try order.apply(
        ChangeSet(
          oldCount: old, newCount: old + 1, removed: [], moved: [],
          inserted: [.init(to: place, element: new)], updated: []))
      try shelf.store(&order)
    }
    order = try shelf.order()
    #expect(try order.items() == items)
    // A part or two a step, and all of them only where there was no room between two ranks.
    #expect(shelf.writtenCount < stepCount * 40, "\(shelf.writtenCount) parts written")
    if fixed == 0 || fixed == nil { #expect(shelf.writtenCount < stepCount * 2) }
  }

  @Test mutating func shrinkingListUsesFewerParts() throws {
    let shelf = Shelf()
    var items = newItems(900)
    var order = HeadOrder(items, size: Self.tiny)
    try shelf.store(&order)
    while items.count > 20 {
      // Every second item goes, a few at a time, so that no part is ever empty.
      var rest = items
      for index in stride(from: items.count - 1, through: items.count - 10, by: -2) {
        rest.remove(at: index)
      }
      rest.append(contentsOf: rest.prefix(5))
      rest.removeFirst(5)
      try order.apply(items.changes(to: rest))
      items = rest
      try shelf.store(&order)
      order = try shelf.order()
      #expect(try order.items() == items)
      #expect(order.parts.count <= 4 * (items.count / Self.tiny.target + 1))
      #expect(shelf.parts.count == order.parts.count)
    }
  }

  @Test mutating func stepReadsAndWritesOnlyTheChangedParts() throws {
    let shelf = Shelf()
    let items = newItems(3000)
    var order = HeadOrder(items, size: Self.tiny)
    try shelf.store(&order)
    var changed = items
    changed[1500] = StoredItem(items[1500].id.sequence, content: 9999)
    changed.remove(at: 20)
    changed.insert(changed.remove(at: 2500), at: 700)
    let step = try items.changes(to: changed)
    order = try shelf.order()
    (shelf.readCount, shelf.writtenCount, shelf.droppedCount) = (0, 0, 0)
    try order.apply(step)
    try shelf.store(&order)
    #expect(shelf.readCount == 4)
    #expect(shelf.writtenCount == 4)
    #expect(shelf.droppedCount == 0)
    order = try shelf.order()
    shelf.readCount = 0
    _ = try order.item(at: 1234)
    _ = try order.item(at: 1234)
    #expect(shelf.readCount == 1)
    #expect(try order.indexes(of: [changed[2000].id]) == [changed[2000].id: 2000])
    // Of the parts whose range holds the key, the one that got an item from elsewhere is wider.
    #expect(shelf.readCount == 2)
  }

  @Test mutating func itemThatStayedIsFoundInOnePartAlthoughOtherPartsHaveWideRanges() throws {
    let (shelf, size) = (Shelf(), HeadOrder.PartSize(target: 100, maximum: 200))
    var items = newItems(4000)
    var order = HeadOrder(items, size: size)
    for place in 0..<10 { items.swapAt(place * 100, 3999 - place * 100) }
    try order.apply(order.items().changes(to: items))
    try shelf.store(&order)
    for index in stride(from: 1001, to: 2999, by: 7) {
      order = try shelf.order(size: size)
      shelf.readCount = 0
      #expect(try order.indexes(of: [items[index].id]) == [items[index].id: index])
      #expect(shelf.readCount == 1)
    }
  }

  @Test mutating func stepThatDoesNotMatchTheHeadIsReportedAsCorrupt() throws {
    let items = newItems(40)
    let others = newItems(3)
    func refused(_ step: ChangeSet<StoredItem>) {
      var order = HeadOrder(items, size: Self.tiny)
      #expect(throws: StoreError.self) { try order.apply(step) }
    }
    refused(
      try ChangeSet(
        oldCount: 39, newCount: 40, removed: [], moved: [],
        inserted: [.init(to: 0, element: others[0])], updated: []))
    refused(
      try ChangeSet(
        oldCount: 40, newCount: 39, removed: [.init(from: 3, element: others[0])], moved: [],
        inserted: [], updated: []))
    let stale = StoredItem(items[3].id.sequence, content: 77)
    refused(
      try ChangeSet(
        oldCount: 40, newCount: 40, removed: [], moved: [], inserted: [],
        updated: [.init(from: 3, to: 3, old: stale, new: items[3])]))
    refused(
      try ChangeSet(
        oldCount: 40, newCount: 0,
        removed: items.indices.map { .init(from: $0, element: others[0]) }, moved: [],
        inserted: [], updated: []))
  }

  @Test mutating func ranksAtTheLimitsOfTheirRangeAreReplaced() throws {
    let ends: [[Int64]] = [[.min, .max], [.max - 1, .max], [.min, .min + 1], [-1, 0]]
    for ranks in ends {
      let items = newItems(40)
      let halves = [Array(items[..<20]), Array(items[20...])]
      let parts = zip(ranks, halves).map { rank, items in
        HeadOrder.Part(
          rank: rank, count: 20, keys: items[0].id.rawValue...items[19].id.rawValue, items: items)
      }
      var order = HeadOrder(stored: parts, size: Self.tiny) { _ in [] }
      let new = newItems(2)
      let changed = [new[0]] + items + [new[1]]
      try order.apply(items.changes(to: changed))
      try order.rankParts()
      let given = try order.parts.map { try #require($0.rank) }
      #expect(zip(given, given.dropFirst()).allSatisfy { $0 < $1 }, "\(ranks)")
      #expect(try order.items() == changed)
    }
  }
}
