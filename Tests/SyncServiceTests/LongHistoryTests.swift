import ListModel
import ListStore
import StoreTestSupport
import TestSupport
import Testing

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

  private static func filled(_ count: Int, packed isPacked: Bool) async throws -> TestStore {
    let test = try TestStore()
    _ = try await test.service.importStates(
      ImportRequest(list: .parks, source: "test:long"), from: Source(count: count))
    if isPacked {
      _ = try await test.service.compact(.parks, isWhole: true)
    } else {
      _ = try await test.service.unpack(.parks)
    }
    return test
  }

  /// What the readings of a body cost.
  private static func cost(_ body: () async throws -> Void) async throws -> Int {
    let limit = ReadingLimit(.max)
    try await ReadingLimit.$current.withValue(limit, operation: body)
    return limit.cost
  }

  @Test(arguments: [false, true])
  func bundleCostsInProportionToTheVersions(isPacked: Bool) async throws {
    var costs: [Int] = []
    for count in [2_000, 8_000] {
      let test = try await Self.filled(count, packed: isPacked)
      let cost = try await Self.cost {
        var export = try await test.service.export(ExportRequest(list: .parks))
        var found = 0
        while case let parts = try await export.nextBatch(), !parts.isEmpty { found += parts.count }
        #expect(found == count)
      }
      costs.append(cost)
    }
    #expect(costs[1] < 8 * costs[0], "\(costs) for four times as many versions")
  }

  @Test(arguments: [false, true])
  func newestChangesOfAnItemCostNoMoreAfterALongHistory(isPacked: Bool) async throws {
    var costs: [Int] = []
    for count in [2_000, 8_000] {
      let test = try await Self.filled(count, packed: isPacked)
      let cost = try await Self.cost {
        let changes = try await test.service.history(of: "a", in: .parks, limit: 20)
        #expect(changes.map(\.record.version.number) == Array((count - 19...count).reversed()))
      }
      costs.append(cost)
    }
    #expect(costs[1] < 2 * costs[0], "\(costs) for four times as many versions")
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
