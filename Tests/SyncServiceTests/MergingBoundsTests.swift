import ListModel
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import ListStore

/// What merging needs is bounded in bytes, whatever the list.
@Suite struct MergingBoundsTests {
  private static let letters: [UInt8] = {
    var random = SeededRandom(seed: 1)
    return (0..<5 << 20).map { _ in UInt8(truncatingIfNeeded: 0x61 + random.next() % 26) }
  }()

  private static func item(_ number: Int, _ byteCount: Int, _ random: inout SeededRandom) -> Item {
    var text = Array(letters.prefix(byteCount))
    for place in stride(from: 0, to: byteCount, by: 1 + byteCount / 200) {
      text[place] = 0x61 + UInt8(random.number(0...25))
    }
    let json = Array("{\"id\":\"i\(number)\",\"text\":\"".utf8) + text + Array("\"}".utf8)
    return Item(id: ItemID("i\(number)"), content: Content(canonicalBytes: json))
  }

  private static func commit(_ items: [Item], to test: TestStore) async throws {
    let snapshot = try Snapshot(items)
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
  }

  /// Merges as the service does, and returns the highest numbers of bytes of the blocks that were
  /// made at once, and of all arrays in the merge.
  @discardableResult
  private static func merge(
    _ test: TestStore
  ) async throws -> (merge: SegmentMerge, made: Int, held: Int)? {
    let begun = try await test.store.read { reader in
      try reader.merge(of: #require(try reader.list(.parks)))
    }
    guard var merge = begun else { return nil }
    var (made, held) = (0, 0)
    while true {
      let (next, blocks) = try await test.store.read { [merge] reader in
        var next = merge
        let blocks = try next.nextBlocks(reader)
        return (next, blocks)
      }
      merge = next
      if blocks.isEmpty { break }
      made = max(made, blocks.map(\.data.count).reduce(0, +))
      held = max(held, byteCount(of: merge))
      try await test.store.write { [merge] in try $0.store(blocks, of: merge) }
    }
    try await test.store.write { [merge] in try $0.install(merge) }
    return (merge, made, held)
  }

  /// The number of bytes of all arrays in a value.
  private static func byteCount(of value: Any) -> Int {
    switch value {
    case let bytes as [UInt8]: bytes.count
    case let bytes as ArraySlice<UInt8>: bytes.count
    default: Mirror(reflecting: value).children.reduce(8) { $0 + byteCount(of: $1.value) }
    }
  }

  private static let textByteCount = 1 << 20

  /// - Parameter versions: the numbers of the items that each version sets.
  @Test(arguments: [
    (0..<48).map { _ in [0] }, [Array(0..<48)], (0..<24).map { [$0, $0 + 1, 50 + $0] },
  ])
  func mergingHoldsAFewTextsOfEachSegment(versions: [[Int]]) async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var items: [Int: Item] = [:]
    for numbers in versions {
      for number in numbers { items[number] = Self.item(number, Self.textByteCount, &random) }
      try await Self.commit(items.sorted { $0.key < $1.key }.map(\.value), to: test)
    }
    for _ in 0..<2 {
      try await Self.commit([Self.item(0, 100, &random)], to: test)
      while let found = try await Self.merge(test) {
        #expect(found.made <= 3 << 20, "blocks of \(found.made) bytes at once")
        let limit = (24 + 8 * found.merge.replacedCount) << 20
        #expect(found.held <= limit, "\(found.held) bytes held")
      }
    }
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
  }

  @Test func aListIsMergedByItsBytes() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    func commit(_ byteCount: Int) async throws -> Int {
      try await Self.commit([Self.item(0, byteCount, &random)], to: test)
      return try await test.service.compactIfDue(.parks).mergedCount
    }
    #expect(try await commit(300_000) == 0)
    #expect(try await commit(300_000) == 2)
    for _ in 0..<20 { #expect(try await commit(100) == 0) }
    #expect(try await commit(1_200_000) == 2)
  }

  /// A list of 60 short versions, each with a segment of its own.
  private static func listsOfManySegments(
    _ random: inout SeededRandom
  ) async throws -> (store: TestStore, twin: TestStore) {
    let (test, twin) = (try TestStore(), try TestStore())
    for number in 0..<60 {
      let items = (0...number % 7).map { item($0, 400, &random) }
      for store in [test, twin] { try await commit(items, to: store) }
    }
    try await test.store.rewriteLog(stepsPerSegment: 1)
    #expect(try await test.count("segments") == 60)
    return (test, twin)
  }

  @Test func fewSegmentsAreJoinedAtOnce() async throws {
    var random = SeededRandom.forThisRun()
    let (test, twin) = try await Self.listsOfManySegments(&random)
    let answers = try await StoreAnswers(of: twin.service)
    #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
    while let found = try await Self.merge(test) {
      #expect(found.merge.replacedCount <= SegmentMerge.joinedCount)
      let count = try await test.count("segments")
      #expect(found.merge.isPartial == (count > 1))
    }
    #expect(try await test.count("segments") == 1)
    #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
  }

  @Test func aListOfManySegmentsIsPruned() async throws {
    var random = SeededRandom.forThisRun()
    let (test, twin) = try await Self.listsOfManySegments(&random)
    for store in [test, twin] { try await store.service.prune(keepLast: 11) }
    let answers = try await StoreAnswers(of: twin.service)
    #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
    #expect(try await test.count("segments") == 1)
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    let faults = try await LogInvariants.faults(of: test.store)
    #expect(faults.isEmpty, "\(faults)")
  }
}
