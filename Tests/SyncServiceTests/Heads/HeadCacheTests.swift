import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

@Suite struct HeadCacheTests {
  @Test func boardShowsNoListAndAdmitsNoOneBeforeItsFirstReading() async throws {
    let fixture = try BoardFixture()
    try await fixture.commit(1)
    let headCache = fixture.headCache
    #expect(
      headCache.heads() == [] && headCache.head(of: .parks) == nil && headCache.lastReadAt == nil)
    #expect(!headCache.access.admits(.anyone) && headCache.access.caller(presenting: "") == nil)
    try await headCache.refresh()
    #expect(headCache.head(of: .parks)?.head.cursor?.version == Version(1))
    #expect(headCache.access.admits(.anyone))
  }

  @Test func boardShowsTheHeadsOfAllListsByName() async throws {
    let fixture = try BoardFixture()
    for name in ["parks", "films", "a-1", "Z"] { try await fixture.commit(1, to: ListName(name)!) }
    try await fixture.commit(2)
    try await fixture.headCache.refresh()
    let heads = try await fixture.test.service.lists()
    #expect(heads.count == 4 && fixture.headCache.heads() == heads)
    for head in heads { #expect(fixture.headCache.head(of: head.name) == head) }
    #expect(fixture.headCache.head(of: ListName("nothing")!) == nil)
  }

  @Test func quietBoardChecksOnlyForCommits() async throws {
    let fixture = try BoardFixture()
    try await fixture.commit(1)
    try await fixture.running {
      #expect(fixture.store.counts == .init(reads: 1, marks: 1))
      for _ in 0..<20 { try await fixture.pass() }
      #expect(fixture.store.counts == .init(reads: 1, marks: 21))
      for _ in 0..<1000 {
        #expect(fixture.headCache.listCount == 1 && fixture.headCache.head(of: .parks) != nil)
        #expect(fixture.headCache.access.isEmpty && fixture.headCache.failure == nil)
      }
      #expect(fixture.store.counts == .init(reads: 1, marks: 21))
      try await fixture.commit(2)
      for _ in 0..<20 { try await fixture.pass() }
      #expect(fixture.store.counts == .init(reads: 2, marks: 41))
    }
  }

  @Test func ownCommitsShowAfterARefreshAndThoseOfOthersAfterAnInterval() async throws {
    let fixture = try BoardFixture()
    let other = SyncService(store: try SQLiteStore(path: fixture.test.path, ifAbsent: .fail)) {
      TestStore.noon
    }
    try await fixture.running {
      let cursor = try await fixture.commit(1)
      #expect(fixture.headCache.heads() == [])
      try await fixture.headCache.refresh()
      #expect(fixture.headCache.head(of: .parks)?.head.cursor == cursor)
      for number in 2..<6 {
        let state = try await other.commit(.init(list: .parks, snapshot: .of("a=\(number)"))).state
        #expect(fixture.headCache.head(of: .parks)?.head.cursor != state.cursor)
        try await fixture.pass()
        #expect(fixture.headCache.head(of: .parks)?.head == state)
      }
      #expect(fixture.store.counts.reads == 6)
    }
  }

  @Test func newListsPruningTokensAndRevocationsShowAfterAnInterval() async throws {
    let fixture = try BoardFixture()
    let service = fixture.test.service
    try await fixture.commit(1)
    try await fixture.commit(2)
    try await fixture.running {
      try await fixture.commit(1, to: .films)
      try await fixture.pass()
      #expect(fixture.headCache.heads().map(\.name) == [.films, .parks])
      try await service.prune(keepLast: 1)
      try await fixture.pass()
      #expect(fixture.headCache.head(of: .parks)?.oldest == Version(2))
      let reader = TokenName("reader")!
      let secret = try await service.makeToken(
        named: reader, grants: [AccessGrant(.read, .all)]
      ).secret.text
      #expect(fixture.headCache.access.admits(.anyone))
      try await fixture.pass()
      #expect(!fixture.headCache.access.admits(.anyone))
      #expect(fixture.headCache.access.caller(presenting: secret)?.name == reader)
      try await service.revokeToken(named: reader)
      try await fixture.pass()
      #expect(fixture.headCache.access.caller(presenting: secret) == nil)
    }
  }

  /// The store's rows, and its queries, are counted.
  @Test func commitCostsTheHeadsThatChangedWhateverTheNumberOfLists() async throws {
    var counts: [[Int]] = []
    for listCount in [10, 10_000] {
      let fixture = try BoardFixture()
      try await fixture.test.store.write { writer in
        for number in 0..<listCount { _ = try writer.createList(ListName("list\(number)")!) }
      }
      for number in 0..<20 {
        let list = ListName("list\(number % 10)")!
        let token = TokenName("t\(number)")!
        _ = try await fixture.test.service.makeToken(
          named: token, grants: [AccessGrant(.read, ListPattern(list.text)!)])
      }
      let first = try await fixture.test.rowsRead { try await fixture.show(1) }
      #expect(first > listCount)
      func cost(_ act: () async throws -> Void) async throws -> Int {
        try await fixture.test.rowsRead {
          try await act()
          try await fixture.headCache.refresh()
        }
      }
      let service = fixture.test.service
      counts.append([
        try await cost { try await fixture.commit(2) },
        try await cost { try await fixture.commit(3, to: ListName("list7")!) },
        try await cost { try await fixture.commit(3, to: ListName("list77777")!) },
        try await cost { _ = try await service.prune(keepLast: 1) },
        try await cost { _ = try await service.tag(TagName("t")!, of: .parks) },
        try await cost { _ = try await service.delta(of: .parks, since: .version(Version(2))) },
      ])
      #expect(fixture.headCache.heads() == (try await service.lists()))
    }
    #expect(counts[0] == counts[1], "\(counts)")
    #expect(counts[0].allSatisfy { $0 < 60 }, "\(counts)")
  }

  /// The cache reports the reason and the time, and continues.
  @Test func failingStoreLeavesTheBoardItsHeadsAndReportsTheFailure() async throws {
    let time = Mutex(TestStore.noon)
    let fixture = try BoardFixture { time.withLock { $0 } }
    func minute(_ number: Int64) -> Timestamp {
      Timestamp(
        millisecondsSince1970: TestStore.noon.millisecondsSince1970 + number * 60_000)
    }
    let first = try await fixture.commit(1)
    try await fixture.running {
      #expect(fixture.headCache.lastReadAt == minute(0) && fixture.headCache.failure == nil)
      time.withLock { $0 = minute(1) }
      try await fixture.pass()
      #expect(fixture.headCache.lastReadAt == minute(1))
      let failures: [(StoreError?, StoreError?)] = [
        (nil, .busy), (.inputOutput(reason: "gone"), nil), (.diskFull, .busy),
      ]
      for (number, (reads, marks)) in failures.enumerated() {
        let old = fixture.headCache.head(of: .parks)
        fixture.store.fail(reads: reads, marks: marks)
        let cursor = try await fixture.commit(number + 2)
        time.withLock { $0 = minute(Int64(2 * number + 2)) }
        try await fixture.pass()
        #expect(fixture.headCache.failure as? StoreError == marks ?? reads)
        #expect(fixture.headCache.lastReadAt == minute(Int64(2 * number + 1)))
        #expect(
          fixture.headCache.head(of: .parks) == old && fixture.headCache.access.admits(.anyone))
        await #expect(throws: StoreError.self) { try await fixture.headCache.refresh() }
        fixture.store.fail()
        time.withLock { $0 = minute(Int64(2 * number + 3)) }
        try await fixture.pass()
        #expect(fixture.headCache.failure == nil)
        #expect(fixture.headCache.lastReadAt == minute(Int64(2 * number + 3)))
        #expect(fixture.headCache.head(of: .parks)?.head.cursor == cursor)
      }
      #expect(fixture.headCache.head(of: .parks)?.head.cursor != first)
    }
  }

  @Test func boardOfAReplacedStoreEndsWithThatError() async throws {
    let fixture = try BoardFixture()
    let run = Task { try await fixture.headCache.run() }
    try await eventually("the headCache sleeps") { fixture.clock.sleeperCount == 1 }
    let replaced = StoreError.replaced(store: "x.db")
    fixture.store.fail(marks: replaced)
    fixture.clock.advance(by: BoardFixture.interval)
    await #expect(throws: replaced) { try await run.value }
    #expect(fixture.headCache.failure as? StoreError == replaced)
  }

  @Test func cancelledBoardStopsPollingAndThrowsCancellation() async throws {
    let fixture = try BoardFixture()
    let run = Task { try await fixture.headCache.run() }
    try await eventually("the headCache sleeps") { fixture.clock.sleeperCount == 1 }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(fixture.clock.sleeperCount == 0)
    fixture.clock.advance(by: .seconds(10))
    #expect(fixture.store.counts.marks == 1)
  }

  @Test func commitDuringAReadingShowsInTheNextReading() async throws {
    let fixture = try BoardFixture()
    try await fixture.commit(1)
    let cursor = Mutex<Cursor?>(nil)
    fixture.store.afterNextRead {
      let head = try await fixture.commit(2)
      cursor.withLock { $0 = head }
    }
    try await fixture.headCache.refresh()
    #expect(fixture.headCache.head(of: .parks)?.head.cursor?.version == Version(1))
    try await fixture.headCache.refresh()
    #expect(fixture.headCache.head(of: .parks)?.head.cursor == cursor.withLock { $0 })
  }

  @Test func readingNeverReplacesTheResultOfALaterOne() async throws {
    let fixture = try BoardFixture()
    try await fixture.commit(1)
    let gate = ManualClock()
    fixture.store.afterNextRead { try await gate.sleep(for: .seconds(1)) }
    let slow = Task { try await fixture.headCache.refresh() }
    try await eventually("the first has read") { gate.sleeperCount == 1 }
    let cursor = try await fixture.commit(2)
    let isDone = Mutex(false)
    let fast = Task {
      try await fixture.headCache.refresh()
      isDone.withLock { $0 = true }
    }
    // If both ran at the same time, the second would have ended by now.
    try? await eventually("the second has read", within: 0.2) { isDone.withLock { $0 } }
    gate.advance(by: .seconds(1))
    try await slow.value
    try await fast.value
    #expect(fixture.headCache.head(of: .parks)?.head.cursor == cursor)
  }

  @Test func hangingStoreIsNotReadableWhenTheTimeIsOver() async throws {
    let fixture = try BoardFixture()
    #expect(await fixture.headCache.isReadable(within: .seconds(5)))
    #expect(fixture.clock.sleeperCount == 0)
    try await fixture.commit(1)
    let gate = ManualClock()
    fixture.store.afterNextRead { try await gate.sleep(for: .seconds(1)) }
    let asked = Task { await fixture.headCache.isReadable(within: .seconds(5)) }
    try await eventually("it hangs") {
      gate.sleeperCount == 1 && fixture.clock.sleeperCount == 1
    }
    fixture.clock.advance(by: .seconds(5))
    #expect(try await ended("the query", asked) == false)
    gate.advance(by: .seconds(1))
    #expect(await fixture.headCache.isReadable(within: .seconds(5)))
    fixture.store.fail(marks: .busy)
    #expect(await fixture.headCache.isReadable(within: .seconds(5)) == false)
  }

  @Test func concurrentRefreshesShareReadingsAndEachFindsItsOwnCommit() async throws {
    let fixture = try BoardFixture()
    try await fixture.commit(1)
    let gate = ManualClock()
    fixture.store.afterNextRead { try await gate.sleep(for: .seconds(1)) }
    let slow = Task { try await fixture.headCache.refresh() }
    try await eventually("the first has read") { gate.sleeperCount == 1 }
    try await fixture.commit(2)
    let begunCount = Counter()
    let others = (0..<200).map { _ in
      Task {
        begunCount.increment()
        try await fixture.headCache.refresh()
      }
    }
    try await eventually("all have asked") { begunCount.value == 200 }
    gate.advance(by: .seconds(1))
    for task in [slow] + others { try await task.value }
    #expect(fixture.store.counts.reads <= 3 && fixture.store.counts.marks <= 20)
    #expect(fixture.headCache.head(of: .parks)?.head.cursor?.version == Version(2))

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<6 {
        group.addTask {
          let list = ListName("list\(number)")!
          for value in 0..<10 {
            let cursor = try await fixture.show(value, in: list)
            #expect(fixture.headCache.head(of: list)?.head.cursor == cursor)
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
