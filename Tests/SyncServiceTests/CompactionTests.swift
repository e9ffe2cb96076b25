import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import ListStore

@Suite struct CompactionTests {
  /// - Parameter items: the newest version after the call.
  private static func commitNext(
    to stores: [TestStore], _ items: inout [Item], _ random: inout SeededRandom
  ) async throws {
    // The first version has an item that needs rows of blocks.
    items = items.isEmpty ? [try RowFixture.longItem] : next(items, &random)
    for store in stores {
      _ = try await store.service.commit(CommitRequest(list: .parks, snapshot: Snapshot(items)))
    }
  }

  private static func segments(
    of test: TestStore, _ list: ListName = .parks
  ) async throws -> [Segment] {
    try await test.store.read { try $0.segments(of: #require(try $0.list(list)).key) }
  }

  private static func expectNoUnusedBlocks(_ test: TestStore) async throws {
    let used = try await segments(of: test).flatMap(\.blocks)
    #expect(!used.isEmpty)
    #expect(try await test.count("blocks") == used.count)
  }

  /// Makes a store with a list of some segments that have rows of blocks.
  private static func storeOfLongSegments(_ count: Int) async throws -> TestStore {
    let test = try TestStore()
    for number in 1...count { try await commitLong(number, to: .parks, of: test) }
    return test
  }

  private static func commitLong(_ number: Int, to list: ListName, of test: TestStore) async throws
  {
    let long = try RowFixture.longItem.content
    let items = (1...number).map { Item(id: ItemID("long-\($0)"), content: long) }
    _ = try await test.service.commit(CommitRequest(list: list, snapshot: Snapshot(items)))
  }

  @Test func mergedListsAnswerAsBefore() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<2 {
      let test = try TestStore()
      var items: [Item] = []
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          try await Self.commitNext(to: [test], &items, &random)
        }
        let before = try await StoreAnswers(of: test.service)
        if Bool.random(using: &random) {
          _ = try await test.service.compactIfDue(.parks)
        } else {
          _ = try await test.service.compact(.parks)
          #expect(try await Self.segments(of: test).count == 1)
          #expect(try await test.service.compact(.parks).mergedCount == 0)
        }
        #expect(try await StoreAnswers(of: test.service) == before, "seed \(random.seed)")
      }
    }
  }

  @Test func mergedListsArePrunedAsOthers() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<4 {
      let (twin, merged) = (try TestStore(), try TestStore())
      var items: [Item] = []
      for _ in 0..<6 {
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          try await Self.commitNext(to: [twin, merged], &items, &random)
        }
        if Bool.random(using: &random) { _ = try await merged.service.compact(.parks) }
        if Bool.random(using: &random) {
          let count = Int.random(in: 1...6, using: &random)
          for test in [twin, merged] { try await test.service.prune(keepLast: count) }
        }
        let answers = try await StoreAnswers(of: merged.service)
        #expect(try await StoreAnswers(of: twin.service) == answers, "seed \(random.seed)")
        for depth in [VerificationDepth.changes, .everything] {
          let report = try await merged.service.verify(depth: depth)
          #expect(report.faults.isEmpty, "\(report.faults), seed \(random.seed)")
        }
        let faults = try await LogInvariants.faults(of: merged.store)
        #expect(faults.isEmpty, "\(faults), seed \(random.seed)")
      }
    }
  }

  /// A former fault: the replaced blocks stayed until the next call.
  @Test func compactionLeavesNoReplacedBlocks() async throws {
    let test = try await Self.storeOfLongSegments(1)
    for count in [2, 3] {
      try await Self.commitLong(count, to: .parks, of: test)
      #expect(try await test.service.compact(.parks).mergedCount == 2)
      try await Self.expectNoUnusedBlocks(test)
    }
    #expect(try await test.service.compact(.parks).mergedCount == 0)
  }

  // MARK: By itself

  @Test func segmentsAreMergedWhenThoseBehindThemOutweighThem() async throws {
    let test = try await Self.storeOfLongSegments(1)
    #expect(try await test.service.compactIfDue(.parks).mergedCount == 0)
    for value in 1...3 {
      let edit = Edit.put(try TestHistory.item("i", value), .first)
      _ = try await test.service.commit(CommitRequest(list: .parks, edits: [edit]))
      #expect(try await test.service.compactIfDue(.parks).mergedCount == 0)
    }
    #expect(try await Self.segments(of: test).count == 2)
    // A commit replaces the short segment before it, and leaves the long one.
    try await Self.commitLong(2, to: .parks, of: test)
    #expect(try await Self.segments(of: test).count == 2)
    #expect(try await test.service.compactIfDue(.parks).mergedCount == 2)
    #expect(try await test.service.compactIfDue(.parks).mergedCount == 0)
    try await Self.expectNoUnusedBlocks(test)
  }

  @Test func boardCompactsTheListsThatNeedItWhileItRuns() async throws {
    let test = try await Self.storeOfLongSegments(2)
    let headCache = HeadCache(service: test.service, interval: .milliseconds(1))
    try await Self.commitLong(1, to: .films, of: test)
    let tasks = [
      Task { try await headCache.run() },
      Task {
        try await headCache.compactLists(every: .milliseconds(1)) { list, error in
          Issue.record("\(list): \(error)")
        }
      },
    ]
    try await eventually("the list is compacted") { try await Self.segments(of: test).count == 1 }
    try await Self.commitLong(2, to: .films, of: test)
    try await eventually("the other list is compacted") {
      try await Self.segments(of: test, .films).count == 1
    }
    for task in tasks {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func mergeEndsWhenItsTaskIsCancelled() async throws {
    let test = try await Self.storeOfLongSegments(2)
    try await test.store.read { reader in
      let list = try #require(try reader.list(.parks))
      var merge = try #require(try reader.merge(of: list))
      #expect(throws: CancellationError.self) {
        try merge.nextBlocks(reader) { throw CancellationError() }
      }
    }
  }

  // MARK: At once

  @Test func severalCompactionsAtOnceAndWritersLeaveASoundList() async throws {
    var random = SeededRandom.forThisRun()
    let (test, twin) = (try TestStore(), try TestStore())
    var items: [Item] = []
    for _ in 0..<6 {
      try await Self.commitNext(to: [test, twin], &items, &random)
      try await Self.commitNext(to: [twin], &items, &random)
      let next = CommitRequest(list: .parks, snapshot: try Snapshot(items))
      await withTaskGroup(of: Void.self) { group in
        for isWhole in [true, false, Bool.random(using: &random)] {
          group.addTask {
            do {
              if isWhole {
                _ = try await test.service.compact(.parks)
              } else {
                _ = try await test.service.compactIfDue(.parks)
              }
            } catch StoreError.headMoved {
              // Others merged it.
            } catch {
              Issue.record(error)
            }
          }
        }
        group.addTask {
          do { _ = try await test.service.commit(next) } catch { Issue.record(error) }
        }
      }
      let answers = try await StoreAnswers(of: twin.service)
      #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    }
  }

  @Test func commitDuringAMergeWins() async throws {
    let test = try await Self.storeOfLongSegments(1)
    func commit(_ value: Int) async throws {
      let edit = Edit.put(try TestHistory.item("i", value), .first)
      _ = try await test.service.commit(CommitRequest(list: .parks, edits: [edit]))
    }
    try await commit(1)
    let merge = try await Self.storeBlocks(of: test)
    try await commit(2)
    await #expect(throws: StoreError.headMoved) {
      try await test.store.write { try $0.install(merge) }
    }
    let answers = try await StoreAnswers(of: test.service)
    #expect(try await test.service.compact(.parks).mergedCount == 2)
    #expect(try await StoreAnswers(of: test.service) == answers)
    try await Self.expectNoUnusedBlocks(test)
  }

  /// A commit before each transaction of the compaction replaces the newest segment.
  @Test func compactionOfABusyListEnds() async throws {
    // So many bytes that they are not merged in one transaction.
    let test = try await Self.storeOfLongSegments(8)
    let service = SyncService(store: BusyStore(test)) { TestStore.noon }
    #expect(try await service.compact(.parks).mergedCount == 8)
    let segments = try await Self.segments(of: test)
    #expect(
      segments.count == 2 && segments[0].inlineBlocks == nil && segments[1].inlineBlocks != nil)
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    try await Self.expectNoUnusedBlocks(test)
  }

  /// A former fault: half of the file stayed unused after a merge in one transaction.
  @Test func aShortMergeReturnsThePagesThatItFrees() async throws {
    let test = try TestStore()
    var mergedCount = 0
    for number in 1...12 {
      var random = SeededRandom(seed: UInt64(number))
      let items = try (0..<4).map { place in
        let text = String(decoding: random.bytes(30_000).map { 0x61 + $0 % 26 }, as: UTF8.self)
        let content = try Content(json: #"{"n":\#(number),"text":"\#(text)"}"#)
        return Item(id: ItemID("i\(place)"), content: content)
      }
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: Snapshot(items)))
      // The commit has merged segments, too.
      try await Self.expectNoUnusedBlocks(test)
      mergedCount += try await test.service.compactIfDue(.parks).mergedCount
      let free = try #require(Int(try await test.rows("PRAGMA freelist_count")[0][0] ?? ""))
      #expect(free <= 40)
    }
    #expect(mergedCount > 0)
  }

  /// Its commits also replace segments that have rows of blocks.
  @Test func compactionOfAListWithLongCommitsEnds() async throws {
    let test = try await Self.storeOfLongSegments(8)
    let service = SyncService(store: BusyStore(test, byteCount: 20_000)) { TestStore.noon }
    var mergedCount = 0
    for _ in 0..<3 { mergedCount += try await service.compact(.parks).mergedCount }
    #expect(mergedCount > 0)
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    try await Self.expectNoUnusedBlocks(test)
  }

  /// Makes and stores the blocks of a merge of all segments.
  ///
  /// - Parameter lostCount: the number of blocks that are not stored.
  private static func storeBlocks(
    of test: TestStore, lostCount: Int = 0
  ) async throws -> SegmentMerge {
    let (merge, blocks) = try await test.store.read { reader in
      let list = try #require(try reader.list(.parks))
      var merge = try #require(try reader.merge(of: list))
      let blocks = try merge.nextBlocks(reader)
      return (merge, blocks)
    }
    #expect(blocks.count > lostCount)
    try await test.store.write { try $0.store(blocks.dropLast(lostCount), of: merge) }
    return merge
  }

  @Test func aListThatIsDroppedDuringAMergeLeavesNothing() async throws {
    let test = try await Self.storeOfLongSegments(2)
    let (merge, blocks) = try await test.store.read { reader in
      let list = try #require(try reader.list(.parks))
      var merge = try #require(try reader.merge(of: list))
      let blocks = try merge.nextBlocks(reader)
      return (merge, blocks)
    }
    _ = try await test.service.drop(DepartureRequest(list: .parks))
    await #expect(throws: StoreError.headMoved) {
      try await test.store.write { try $0.store(blocks, of: merge) }
    }
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    #expect(try await test.count("blocks") == 0)
  }

  /// As a process that is killed between the transactions leaves it.
  @Test func aHalfMergedListIsThatOfBeforeOrAfter() async throws {
    var random = SeededRandom.forThisRun()
    for stage in 0..<3 {
      let test = try TestStore()
      var items: [Item] = []
      for _ in 0..<8 { try await Self.commitNext(to: [test], &items, &random) }
      let answers = try await StoreAnswers(of: test.service)
      let merge = try await Self.storeBlocks(of: test, lostCount: stage == 0 ? 1 : 0)
      if stage == 2 { try await test.store.write { try $0.install(merge) } }
      #expect(try await StoreAnswers(of: test.service) == answers)
      #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
      _ = try await test.service.compact(.parks)
      #expect(try await StoreAnswers(of: test.service) == answers)
      try await Self.expectNoUnusedBlocks(test)
    }
  }

  // MARK: Damage

  /// A list with segments of both kinds, and what it answers.
  private func merged(
    _ random: inout SeededRandom
  ) async throws -> (store: TestStore, answers: StoreAnswers) {
    let test = try TestStore()
    var items: [Item] = []
    for number in 1...24 {
      try await Self.commitNext(to: [test], &items, &random)
      // The long item stays in the log only.
      if number == 1 { items = [try TestHistory.item("a", 1)] }
      if number % 8 == 0, number < 24 { _ = try await test.service.compact(.parks) }
    }
    let segments = try await Self.segments(of: test)
    #expect(Set(segments.map { $0.inlineBlocks == nil }) == [true, false])
    try await test.emptyLog()
    return (test, try await StoreAnswers(of: test.service))
  }

  /// The data of segments and blocks, with the condition that finds each row.
  private func data(
    of test: TestStore
  ) async throws -> [(table: String, condition: String, data: [UInt8])] {
    var found: [(table: String, condition: String, data: [UInt8])] = []
    for (table, key) in [("segments", "segment_id"), ("blocks", "block")] {
      for row in try await test.rows("SELECT \(key), hex(data) FROM \(table)") {
        let digits = Array((row[1] ?? "").utf8)
        let data = stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        found.append((table, "\(key) = \(row[0] ?? "")", data))
      }
    }
    return found
  }

  private func copy(
    of test: TestStore, with data: [UInt8], in table: String, _ condition: String,
    isMended: Bool = true
  ) async throws -> TestStore {
    let copy = try TestStore(copying: test.path)
    let digits = data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let sql = "UPDATE \(table) SET data = X'\(digits)' WHERE \(condition)"
    if isMended { try await copy.sql(sql) } else { try await copy.sqlOfAnotherProgram(sql) }
    return copy
  }

  @Test func aChangedBitOfTheLogIsNeverAWrongAnswer() async throws {
    var random = SeededRandom.forThisRun()
    let (test, answers) = try await merged(&random)
    for (table, condition, data) in try await data(of: test) {
      for _ in 0..<3 {
        var damaged = data
        let place = Int.random(in: damaged.indices, using: &random)
        damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        let copy = try await copy(
          of: test, with: damaged, in: table, condition, isMended: false)
        let found = try? await StoreAnswers(of: copy.service)
        #expect(found == nil || found == answers, "\(table) \(place), seed \(random.seed)")
        let faults = try await copy.service.verify().faults
        #expect(!faults.isEmpty, "\(table) \(place), seed \(random.seed)")
      }
    }
  }

  @Test func aForgedBlockEndsNoProgramAndIsFoundByVerify() async throws {
    var random = SeededRandom.forThisRun()
    let (test, answers) = try await merged(&random)
    for (table, condition, data) in try await data(of: test) {
      let bytes = try PackedData.unpack(data, upTo: .max)
      for _ in 0..<5 {
        var forged = bytes
        let place = Int.random(in: forged.indices, using: &random)
        forged[place] = UInt8.random(in: 0...255, using: &random)
        if forged == bytes { continue }
        let copy = try await copy(of: test, with: PackedData.pack(forged), in: table, condition)
        let found = try? await StoreAnswers(of: copy.service)
        let isSound = try await copy.service.verify(depth: .everything).faults.isEmpty
        #expect(!isSound || found == answers, "\(table) \(place), seed \(random.seed)")
      }
    }
  }

  @Test func decompressionBombIsRefused() async throws {
    var random = SeededRandom.forThisRun()
    let (test, _) = try await merged(&random)
    let bomb = PackedData.pack(Array(repeating: 0, count: 16 << 20))
    #expect(bomb.count < 20_000)
    for (table, condition, _) in try await data(of: test) {
      let copy = try await copy(of: test, with: bomb, in: table, condition)
      #expect(try await !copy.service.verify().faults.isEmpty)
    }
  }

  @Test func aMissingBlockOrSegmentIsDamage() async throws {
    var random = SeededRandom.forThisRun()
    let (test, _) = try await merged(&random)
    let changes =
      try await data(of: test).map { "DELETE FROM \($0.table) WHERE \($0.condition)" }
      + ["UPDATE lists SET next_change = next_change - 1", "UPDATE lists SET next_change = 1"]
    for sql in changes {
      let copy = try TestStore(copying: test.path)
      try await copy.sql(sql)
      #expect(try await !copy.service.verify().faults.isEmpty, "\(sql)")
    }
  }

  private static func next(_ items: [Item], _ random: inout SeededRandom) -> [Item] {
    var items = items
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...items.count, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0 where place < items.count: items.remove(at: place)
      case 1 where place < items.count:
        let moved = items.remove(at: place)
        items.insert(moved, at: Int.random(in: 0...items.count, using: &random))
      case 2 where place < items.count:
        items[place] = item(items[place].id.text, &random)
      default:
        let id = "p\(Int.random(in: 0...30, using: &random))"
        if !items.contains(where: { $0.id.text == id }) {
          items.insert(item(id, &random), at: place)
        }
      }
    }
    return items
  }

  private static func item(_ id: String, _ random: inout SeededRandom) -> Item {
    let number = Int.random(in: 0...3, using: &random)
    let json = "{\"id\":\"\(id)\",\"n\":\(number),\"text\":\"some text of \(id) that stays\"}"
    return Item(id: ItemID(id), content: Content(canonicalBytes: Array(json.utf8)))
  }
}

/// A store with another program that commits to the list before each transaction that writes.
private final class BusyStore: WrappingStore {
  let store: any ListStore
  private let other: TestStore
  private let byteCount: Int
  private let count = Mutex(0)

  /// - Parameter byteCount: of the item that each commit puts.
  init(_ other: TestStore, byteCount: Int = 0) {
    (self.other, store, self.byteCount) = (other, other.store, byteCount)
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    let value = count.withLock {
      $0 += 1
      return $0
    }
    var random = SeededRandom(seed: UInt64(value))
    let text = String(decoding: random.bytes(byteCount).map { 0x61 + $0 % 26 }, as: UTF8.self)
    let content = try Content(json: #"{"n":\#(value),"text":"\#(text)"}"#)
    let edit = Edit.put(Item(id: ItemID("busy\(value)"), content: content), .first)
    _ = try await other.service.commit(CommitRequest(list: .parks, edits: [edit]))
    return try await store.write(body)
  }
}
