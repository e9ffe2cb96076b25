import ListChanges
import ListModel
import StoreTestSupport
import TestSupport
import Testing

@testable import ListStore

/// The segments of a list in a store.
@Suite struct MergingTests {
  private let store = MemoryStore()

  /// An item whose content is too long for a segment's own row.
  private static func long(_ id: String, _ random: inout SeededRandom) throws -> Item {
    let text = random.bytes(1 << 17).map { String($0, radix: 16) }.joined()
    return Item(id: ItemID(id), content: try Content(json: "\"\(text)\""))
  }

  private static func items(_ texts: String...) throws -> [Item] { try Snapshot.of(texts).items }

  private func segments() async throws -> [Segment] {
    try await store.read { try $0.segments(of: $0.parks.key) }
  }

  /// The changes of one transaction are stored together, or as soon as they are many.
  @Test func longVersionsFollowThePrunedOnesInOneTransaction() async throws {
    var random = SeededRandom.forThisRun()
    try await store.append(Self.items("a"))
    try await store.append(Self.items("a", "b"))
    let lists = try (0..<3).map { number in
      try (0..<20).map { try Self.long("\(number)-\($0)", &random) }
    }
    try await store.write { writer in
      let list = try writer.parks
      let order = try #require(try writer.headOrder(of: list))
      try writer.writeCheckpoint(order.items(), at: list.head, of: list.key)
      let version = try writer.versions(list.head...list.head, of: list.key)[0]
      try writer.prune(
        PruneRecord(
          oldOldest: Version(1), newOldest: list.head, prunedAt: version.note.time, author: nil,
          rule: "keep", chain: version.chain), of: list.key)
      for items in lists {
        try writer.append(writer.plan(items))
      }
    }
    try await store.read { reader in
      let list = try reader.parks
      let order = try #require(try reader.headOrder(of: list))
      #expect(try reader.items(of: order.items()) == lists[2])
      #expect(try reader.rowFaults(of: list).isEmpty)
    }
  }

  @Test func aCommitReplacesOnlySegmentsWithOwnBlocks() async throws {
    var random = SeededRandom.forThisRun()
    let long = try Self.long("long", &random)
    try await store.append([long])
    let first = try await segments()
    #expect(first.count == 1 && first[0].inlineBlocks == nil)
    for number in 0..<40 {
      let before = try await segments()
      try await store.append([long] + Self.items("a=\(number)"))
      let after = try await segments()
      #expect(after[0] == first[0])
      #expect(after.dropFirst().allSatisfy { $0.inlineBlocks != nil })
      let kept = zip(before, after).prefix { $0 == $1 }.count
      #expect(before[kept...].allSatisfy { $0.inlineBlocks != nil } && after.count == kept + 1)
    }
  }

  @Test(arguments: [1, 7, 1000]) func manySmallCommitsLeaveFewSegments(interval: Int) async throws {
    for number in 0..<200 {
      let items = try Self.items("a=\(number)", "b=\(number / interval)", "c")
      try await store.append(items)
    }
    let byteCounts = try await segments().map(\.byteCount)
    #expect(byteCounts.count < 10, "\(byteCounts)")
  }

  @Test func mergingAllLeavesOneSegmentAndItsBlocks() async throws {
    var random = SeededRandom.forThisRun()
    let long = try Self.long("long", &random)
    for number in 0..<9 {
      let items = number % 3 == 0 ? [try Self.long("long", &random)] : [long]
      try await store.append(items + Self.items("a=\(number)"))
    }
    try await store.merge { try $0.merge(of: $0.parks) }
    let segments = try await segments()
    #expect(segments.count == 1)
    try await store.read { reader in
      #expect(try reader.merge(of: reader.parks) == nil)
      #expect(try reader.dueMerge(of: reader.parks) == nil)
      let all = RowRange(of: .blocks, in: try reader.parks.key).withoutData
      #expect(try Set(reader.rows(all) { $0.integer(1) }) == Set(segments[0].blocks))
    }
  }

  @Test func afterTheDueMergeNothingIsDue() async throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<12 {
      let long = try Self.long("long \(round)", &random)
      try await store.append(round % 4 == 3 ? [] : [long] + Self.items("a=\(round)"))
      try await store.merge { try $0.dueMerge(of: $0.parks) }
      let byteCounts = try await segments().map(\.byteCount)
      #expect(MergeRule.start(byteCounts) == nil, "\(byteCounts)")
      #expect(try await store.read { try $0.dueMerge(of: $0.parks) } == nil)
    }
  }

  // MARK: Answers

  /// Everything that a list answers.
  private static func answers(of store: MemoryStore) async throws -> [String] {
    try await store.read { reader in
      let list = try reader.parks
      var answers: [String] = []
      var replayed: [StoredItem] = []
      for step in try reader.steps(Version(1)...list.head, of: list.key) {
        replayed = try replayed.applying(step.changes)
        answers.append("\(step.changes), \(try reader.items(of: replayed))")
        answers.append("\(try reader.contents(of: step.changes.updated.map(\.old)))")
      }
      for number in 0..<8 {
        let key = try reader.keys(of: [ItemID("i\(number)")], in: list.key)[0]
        answers.append("\(number): \(String(describing: key))")
        for end in [nil, Version(list.head.number / 2)] {
          try key.map { key in
            try reader.history(of: key, in: list, before: end) { change in
              answers.append("\(change)")
              return true
            }
          }
        }
      }
      #expect(try reader.segmentFault(of: list.key) == nil)
      return answers
    }
  }

  @Test func equalHistoriesInOtherSegmentsGiveTheSameAnswers() async throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<6 {
      let stores = (0..<3).map { _ in MemoryStore() }
      var items: [Item] = []
      for _ in 0..<random.number(2...40) {
        items.removeAll { _ in random.chance(5) }
        for number in 0..<8 where random.chance(3) {
          let item = try Self.items("i\(number)=\(random.number(0...3))")[0]
          items.removeAll { $0.id == item.id }
          items.insert(item, at: random.number(0...items.count))
        }
        if random.chance(6) {
          items.removeAll { $0.id == ItemID("i7") }
          items.append(try Self.long("i7", &random))
        }
        for store in stores { try await store.append(items) }
        if random.chance(3) { try await stores[1].merge { try $0.merge(of: $0.parks) } }
        try await stores[2].merge { try $0.dueMerge(of: $0.parks) }
      }
      let expected = try await Self.answers(of: stores[0])
      for store in stores.dropFirst() {
        #expect(try await Self.answers(of: store) == expected, "round \(round)")
      }
    }
  }

  // MARK: Others at the same time

  @Test func aCommitThatWasPreparedBeforeAMergeIsPreparedAgain() async throws {
    var random = SeededRandom.forThisRun()
    let long = try Self.long("long", &random)
    try await store.append([long])
    try await store.append([long] + Self.items("a"))
    let next = [long] + (try Self.items("a=1"))
    let plan = try await store.read { try $0.plan(next) }
    try await store.merge { try $0.merge(of: $0.parks) }
    await #expect(throws: StoreError.headMoved) {
      try await store.write { try $0.append(plan) }
    }
    #expect(try await store.read { try $0.parks.head } == Version(2))
    try await store.append(next)
    #expect(try await store.read { try $0.parks.head } == Version(3))
    #expect(try await segments().count == 2)
  }

  @Test func aMergeOfSegmentsThatACommitReplacedIsNotStored() async throws {
    var random = SeededRandom.forThisRun()
    let long = try Self.long("long", &random)
    try await store.append([long])
    try await store.append([long] + Self.items("a"))
    let begun = try await store.read { try $0.merge(of: $0.parks) }
    let merge = try #require(begun)
    // Many enough changes to join the segment before.
    try await store.append([long] + Snapshot.of((0..<40).map { "i\($0)" }).items)
    let before = try await segments()
    await #expect(throws: StoreError.headMoved) { try await store.finish(merge) }
    #expect(try await segments() == before)
  }

  @Test func aMergeOfABusyListLeavesTheShortSegmentsToCommits() async throws {
    var random = SeededRandom.forThisRun()
    let long = try (0..<5).map { try Self.long("\($0)", &random) }
    // The first two are too long for commits. The third has blocks, too; the last has none.
    for count in [2, 4, 5] { try await store.append(Array(long[..<count])) }
    try await store.append(long + Self.items("a"))
    let begun = try await store.read { try $0.merge(of: $0.parks, isBusy: true) }
    let merge = try #require(begun)
    #expect(merge.replacedCount == 2)
    try await store.append(long + Self.items("a=1"))
    try await store.finish(merge)
    let segments = try await segments()
    #expect(segments.map { $0.inlineBlocks == nil } == [true, true, false])
    _ = try await Self.answers(of: store)
  }
}

extension ListReader {
  fileprivate var parks: ListRecord {
    get throws {
      let locked = try (self as? ListWriter)?.lockedList(.parks)
      return try #require(try locked ?? list(.parks))
    }
  }

  /// Plans the version after the newest one, without any of the service's decisions.
  fileprivate func plan(_ items: [Item]) throws -> StepPlan {
    let list = try parks
    var order = try headOrder(of: list) ?? HeadOrder.empty
    let step = try self.items(of: order.items()).changes(to: items)
    let tree = RootTree(of: items)
    let record = VersionRecord(
      version: list.head.next, note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
      count: items.count, changes: ChangeCounts(step), root: tree.root,
      previous: try heads(of: [list])[0]?.chain ?? .zero)
    return try plan(step, of: list.key, as: record, order: &order, TreeUpdate(whole: tree))
  }
}

extension MemoryStore {
  fileprivate func append(_ items: [Item]) async throws {
    try await write { writer in
      if try writer.lockedList(.parks) == nil { _ = try writer.createList(.parks) }
      try writer.append(writer.plan(items))
    }
  }

  /// Begins and finishes a merge, if there is something to merge.
  fileprivate func merge(_ begin: @Sendable (ListReader) throws -> SegmentMerge?) async throws {
    if let begun = try await read(begin) { try await finish(begun) }
  }

  fileprivate func finish(_ begun: SegmentMerge) async throws {
    try await write { writer in
      try writer.execute(begun)
      let unused = try writer.unusedBlocks(of: begun.list)
      #expect(unused.isEmpty)
    }
  }
}
