import ListChanges
import TestSupport
import Testing

@testable import ListModel

/// A tree that a step advances is the tree that is computed from nothing.
struct RootTreeTests {
  /// Items whose hashes end a group, or do not.
  private struct Maker {
    private var count = 0
    private var hasher = ItemHasher()

    mutating func item(ending: Bool? = nil) throws -> Item {
      while true {
        count += 1
        let item = Item(id: ItemID("item-\(count)"), content: try Content(json: "0"))
        if ending == nil || hasher.hash(item).endsGroup == ending { return item }
      }
    }

    mutating func items(_ count: Int, ending: Bool? = nil) throws -> [Item] {
      try (0..<count).map { _ in try item(ending: ending) }
    }

    /// Another content of an item.
    mutating func changed(_ item: Item, ending: Bool? = nil) throws -> Item {
      while true {
        count += 1
        let item = Item(id: item.id, content: try Content(json: "\(count)"))
        if ending == nil || hasher.hash(item).endsGroup == ending { return item }
      }
    }
  }

  /// Every group of a tree, from the top.
  private static func groups(of tree: RootTree) -> [RootNode] {
    var groups = [tree.top]
    var position = 0
    while position < groups.count {
      groups += groups[position].groups
      position += 1
    }
    return groups
  }

  private static func isSame(_ a: RootTree, _ b: RootTree) -> Bool {
    groups(of: a).map(\.hash) == groups(of: b).map(\.hash)
      && groups(of: a).map(\.items) == groups(of: b).map(\.items)
  }

  private static func expectSteps(
    through lists: [[Item]], _ context: Comment
  ) throws {
    var tree = RootTree(of: lists[0])
    for (old, new) in zip(lists, lists.dropFirst()) {
      let step = try Snapshot(old).changes(to: Snapshot(new))
      tree = tree.advanced(by: step)
      #expect(isSame(tree, RootTree(of: new)), context)
    }
    var builder = RootBuilder()
    for item in lists[lists.count - 1] { builder.append(item) }
    #expect(builder.root == RootTree(of: lists[lists.count - 1]).root, context)
  }

  @Test func everyStepBetweenSmallListsLeadsToTheTreeOfTheNewList() throws {
    var maker = Maker()
    // Two that end a group and two that do not, so that groups of each kind come about.
    let items = try maker.items(2, ending: true) + maker.items(2, ending: false)
    var lists: [[Item]] = [[]]
    var longest = lists
    for _ in items {
      longest = longest.flatMap { list in
        items.filter { !list.contains($0) }.map { list + [$0] }
      }
      lists += longest
    }
    for old in lists {
      for new in lists {
        try Self.expectSteps(
          through: [old, new], "\(old.map(\.id)) to \(new.map(\.id))")
      }
    }
  }

  @Test func everyUpdateRemovalAndInsertionInAListOfThreeLevelsIsRight() throws {
    var maker = Maker()
    let list =
      try (0..<12).flatMap { _ in try maker.items(1, ending: false) + [maker.item(ending: true)] }
      + maker.items(600)
    #expect(RootTree(of: list).top.level >= 2)
    for index in 0...40 {
      for ending in [true, false] {
        var updated = list
        updated[index] = try maker.changed(list[index], ending: ending)
        var inserted = list
        inserted.insert(try maker.item(ending: ending), at: index)
        var removed = list
        removed.remove(at: index)
        var moved = list
        moved.append(moved.remove(at: index))
        try Self.expectSteps(
          through: [list, updated, list, inserted, list, removed, list, moved, list],
          "at \(index), \(ending)")
      }
    }
  }

  /// How often hashes end a group, of 32 items.
  @Test(arguments: [0, 1, 8, 32])
  func everyHistoryOfLongListsLeadsToTheTreeOfItsLastVersion(_ endings: Int) throws {
    var random = SeededRandom.forThisRun()
    for trial in 0..<6 {
      var maker = Maker()
      func ending() -> Bool { Int.random(in: 0..<32, using: &random) < endings }
      let count = Int.random(in: 0...2000, using: &random)
      var lists = [try (0..<count).map { _ in try maker.item(ending: ending()) }]
      for _ in 0..<6 {
        var list = lists[lists.count - 1]
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          let place = Int.random(in: 0...list.count, using: &random)
          let length = min(list.count - place, Int.random(in: 1...300, using: &random))
          switch Int.random(in: 0..<5, using: &random) {
          case 0: list.insert(try maker.item(ending: ending()), at: place)
          case 1: list.removeSubrange(place..<place + min(length, 3))
          case 2 where length > 0:
            list[place] = try maker.changed(list[place], ending: ending())
          case 3:
            let block = Array(list[place..<place + length])
            list.removeSubrange(place..<place + length)
            list.insert(contentsOf: block, at: .random(in: 0...list.count, using: &random))
          default: list.removeSubrange(place..<place + length)
          }
        }
        lists.append(list)
      }
      try Self.expectSteps(through: lists, "trial \(trial), seed \(random.seed)")
    }
  }

  @Test func listsAtTheLimitOfAGroupHaveTheirTrees() throws {
    var maker = Maker()
    let items = try maker.items(600, ending: false)
    for count in [1, 2, 255, 256, 257, 511, 512, 513] {
      let tree = RootTree(of: Array(items[..<count]))
      let sizes = tree.top.level == 1 ? [count] : tree.top.groups.map(\.itemCount)
      #expect(sizes == stride(from: 0, to: count, by: 256).map { min(256, count - $0) })
      try Self.expectSteps(
        through: [[], Array(items[..<count]), Array(items[1..<count]), Array(items[..<count])],
        "\(count)")
    }
  }

  @Test func equalListsShareTheWholeTree() throws {
    var maker = Maker()
    let items = try maker.items(1000)
    let tree = RootTree(of: items)
    let same = try tree.advanced(by: ChangeSet(oldCount: 1000, newCount: 1000))
    #expect(same.top === tree.top)
  }

  /// The groups that a step makes, each of which costs a hash.
  private static func madeCount(from old: RootTree, to new: RootTree) -> Int {
    let known = Set(groups(of: old).map { ObjectIdentifier($0) })
    return groups(of: new).count { !known.contains(ObjectIdentifier($0)) }
  }

  @Test func updateMakesFewGroupsHoweverLongTheListIs() throws {
    var random = SeededRandom.forThisRun()
    var worst: [Int] = []
    for count in [1_000, 10_000, 100_000] {
      let items = (0..<count).map {
        Item(id: ItemID("\($0)"), content: Content(canonicalBytes: [UInt8(ascii: "0")]))
      }
      let tree = RootTree(of: items)
      var most = 0
      for _ in 0..<100 {
        let index = Int.random(in: 0..<count, using: &random)
        let new = Item(id: items[index].id, content: try Content(json: "\(random.next())"))
        let step = try ChangeSet(
          oldCount: count, newCount: count,
          updated: [.init(from: index, to: index, old: items[index], new: new)])
        most = max(most, Self.madeCount(from: tree, to: tree.advanced(by: step)))
      }
      worst.append(most)
    }
    // One or two on each level, and one of the item.
    #expect(worst.allSatisfy { $0 <= 12 }, "\(worst)")
  }

  @Test func changesMakeAsManyGroupsAsTheyTouch() throws {
    var random = SeededRandom.forThisRun()
    let count = 100_000
    let items = (0..<count).map {
      Item(id: ItemID("\($0)"), content: Content(canonicalBytes: [UInt8(ascii: "0")]))
    }
    let tree = RootTree(of: items)
    var new = items
    for number in 0..<100 {
      let place = Int.random(in: 0..<new.count, using: &random)
      switch number % 3 {
      case 0: new.remove(at: place)
      case 1: new.insert(Item(id: ItemID("new-\(number)"), content: items[0].content), at: place)
      default: new.append(new.remove(at: place))
      }
    }
    let step = try Snapshot(items).changes(to: Snapshot(new))
    let advanced = tree.advanced(by: step)
    #expect(advanced.root == RootTree(of: new).root)
    #expect(Self.madeCount(from: tree, to: advanced) < 100 * 2 * 6)
  }
}
