import ListModel
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import ListStore
@testable import SyncService

/// A list with one item, which changes in every version.
@Suite struct LongHistoryTests {
  private struct Source: ImportSource {
    let count: Int
    var number = 0
    var random = SeededRandom(seed: 1)

    /// - Returns: a version with a text that has nothing in common with others, so that a block has
    ///   few of them.
    mutating func next() throws -> ImportedState? {
      if number == count { return nil }
      number += 1
      let text = (0..<16).map { _ in String(random.next(), radix: 36) }.joined()
      let content = try Content(json: #"{"id":"a","text":"\#(text)"}"#)
      let snapshot = try Snapshot([Item(id: ItemID("a"), content: content)])
      return ImportedState(
        position: "\(number)", content: .version(snapshot, CommitNote(time: TestStore.noon)))
    }
  }

  private static func filled(_ count: Int, isCompact: Bool = true) async throws -> TestStore {
    let test = try TestStore()
    _ = try await test.service.importStates(
      ImportRequest(list: .parks, source: "test:long"), from: Source(count: count))
    if isCompact { _ = try await test.service.compact(.parks) }
    return test
  }

  /// What the readings of a body cost.
  private static func cost(_ body: () async throws -> Void) async throws -> Int {
    let limit = ReadingLimit(.max)
    try await ReadingLimit.$current.withValue(limit, operation: body)
    return limit.cost
  }

  @Test(arguments: [false, true])
  func bundleCostsInProportionToTheVersionsAndNewestChangesCostNoMore(isCompact: Bool) async throws
  {
    var (bundles, histories): ([Int], [Int]) = ([], [])
    for count in [1_000, 8_000] {
      let test = try await Self.filled(count, isCompact: isCompact)
      let bundle = try await Self.cost {
        var export = try await test.service.export(ExportRequest(list: .parks))
        var found = 0
        while case let parts = try await export.nextBatch(), !parts.isEmpty { found += parts.count }
        #expect(found == count)
      }
      bundles.append(bundle)
      let history = try await Self.cost {
        let changes = try await test.service.history(of: "a", in: .parks, limit: 20)
        #expect(changes.map(\.record.version.number) == Array((count - 19...count).reversed()))
      }
      histories.append(history)
    }
    #expect(bundles[1] < 16 * bundles[0], "\(bundles) for eight times as many versions")
    #expect(histories[1] < 4 * histories[0], "\(histories) for eight times as many versions")
  }

  /// A former fault: to find the first content of an item again, all its blocks were read.
  @Test func aCommitReadsNoMoreAfterALongHistory() async throws {
    var costs: [Int] = []
    for count in [2_000, 8_000] {
      let test = try await Self.filled(count)
      costs.append(
        try await Self.cost {
          _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: .of("a=1", "b")))
        })
    }
    #expect(costs[1] <= 2 * costs[0], "\(costs) for four times as many versions")
  }

  /// A former fault: each transaction read the first changes of all steps.
  @Test func transactionsReadFewStartsOfStepsAfterALongHistory() async throws {
    for count in [2 * StartsBlock.stepCount, 3 * StartsBlock.stepCount] {
      let test = try await Self.filled(count)
      let store = StartCountingStore(test.store)
      let service = SyncService(store: store) { TestStore.noon }
      let changes = try await service.history(of: "a", in: .parks, limit: 20)
      #expect(changes.count == 20)
      let last = Revision.version(Version(count))
      #expect(try await service.snapshot(of: .parks, at: last).snapshot.items.count == 1)
      _ = try await service.commit(CommitRequest(list: .parks, snapshot: .of("b", "a")))
      _ = try await service.commit(CommitRequest(list: .parks, snapshot: .of("a=1", "b=1")))
      #expect((1...StartsBlock.stepCount).contains(store.count), "\(store.count) of \(count)")
    }
  }

  /// Former fault: only the deflated bytes counted, so deep pages of a history were made at once,
  /// and eight clients that read such pages kept short answers waiting.
  @Test func blocksCostByTheBytesThatTheyUnfoldTo() async throws {
    let (test, count, byteCount) = (try TestStore(), 200, 1_600)
    for number in 0..<count {
      // It deflates to few bytes, and has nothing in common with the text before it.
      let text = String(repeating: "\(10 + number % 90)", count: byteCount / 2)
      let content = try Content(json: #"{"id":"a","text":"\#(text)"}"#)
      _ = try await test.service.commit(
        CommitRequest(list: .parks, snapshot: Snapshot([Item(id: ItemID("a"), content: content)])))
    }
    _ = try await test.service.compact(.parks)
    let cost = try await Self.cost {
      let changes = try await test.service.history(of: "a", in: .parks)
      #expect(changes.count == count)
    }
    #expect(cost > count * byteCount >> 6)
  }

  @Test func bundleBeginsWithSmallBatches() async throws {
    let test = try TestStore()
    for number in 1...4 {
      let texts = (1...3_000).map { "item-\($0)=\(number)" }
      _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: .of(texts)))
    }
    var request = ExportRequest(list: .parks)
    request.batchCount = 1 << 20
    var export = try await test.service.export(request)
    var counts: [Int] = []
    while case let parts = try await export.nextBatch(), !parts.isEmpty {
      counts.append(parts.count)
    }
    #expect(counts == [1, 2, 1])
  }

  /// Another store could only give the same answer again.
  @Test func readingThatCostsTooMuchIsNotAskedOfThePrimary() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: .of("a")))
    let store = StandbyStore(primary: MemoryStore(), standby: test.store)
    let service = SyncService(store: store) { TestStore.noon }
    await #expect(throws: ReadingLimit.Exceeded.self) {
      try await ReadingLimit.$current.withValue(ReadingLimit(0)) {
        _ = try await service.log(of: .parks)
      }
    }
  }
}

/// A store that counts the starts of steps that transactions read of segments.
private final class StartCountingStore: ListStore {
  private let store: any ListStore
  private let highest = Mutex(0)

  init(_ store: any ListStore) { self.store = store }

  /// The largest number of a transaction.
  var count: Int { highest.withLock { $0 } }

  private func note(_ reader: ListReader) {
    let count = reader.openedLists.values.flatMap(\.starts.values).map(\.count).reduce(0, +)
    highest.withLock { $0 = max($0, count) }
  }

  func read<Result: Sendable>(
    _ body: @Sendable (ListReader) throws -> Result
  ) async throws -> Result {
    try await store.read { reader in
      defer { note(reader) }
      return try body(reader)
    }
  }

  func write<Result: Sendable>(
    _ body: @Sendable (ListWriter) throws -> Result
  ) async throws -> Result {
    try await store.write { writer in
      defer { note(writer) }
      return try body(writer)
    }
  }

  func writeIfFree(_ body: @Sendable (ListWriter) throws -> Void) async {
    await store.writeIfFree(body)
  }

  func dataVersion() async throws -> DataVersion { try await store.dataVersion() }
}
