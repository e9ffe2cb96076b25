import ListModel
import ListStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

@Suite(.timeLimit(.minutes(Hang.minutes))) struct HeadStreamTests {
  @Test func subscriberGetsTheNewestHeadAtOnceAndEveryLaterOne() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    var heads = fixture.headCache.headStream(of: .parks, for: .anyone).makeAsyncIterator()
    for version in 1...5 {
      let head = await heads.next()
      #expect(head?.head.cursor?.version == Version(version))
      #expect(head == fixture.headCache.head(of: .parks))
      try await fixture.show(version + 1)
    }
    #expect(fixture.headCache.watcherCount == 0)
  }

  @Test func slowSubscriberSkipsToTheNewestHeadAndThenWaits() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    var heads = fixture.headCache.headStream(of: .parks, for: .anyone).makeAsyncIterator()
    _ = await heads.next()
    for value in 2...9 { try await fixture.show(value) }
    #expect(await heads.next()?.head.cursor?.version == Version(9))
    try await expectToWait(heads, fixture.headCache)
  }

  @Test func pruningGivesANewHeadAndAnUnrelatedChangeGivesNone() async throws {
    let fixture = try BoardFixture()
    for value in 1...3 { try await fixture.show(value) }
    var heads = fixture.headCache.headStream(of: .parks, for: .anyone).makeAsyncIterator()
    _ = await heads.next()
    try await fixture.test.service.prune(keepLast: 1)
    try await fixture.headCache.refresh()
    #expect(await heads.next()?.oldest == Version(3))
    try await fixture.show(1, in: .films)
    _ = try await fixture.test.service.tag(TagName("spring")!, of: .parks)
    try await fixture.headCache.refresh()
    try await expectToWait(heads, fixture.headCache)
  }

  @Test func subscriberGetsAMissingListWhenItAppears() async throws {
    let fixture = try BoardFixture()
    try await fixture.headCache.refresh()
    let heads = fixture.headCache.headStream(of: .parks, for: .anyone)
    let first = Task { await heads.first { _ in true } }
    try await eventually("it waits") { fixture.headCache.watcherCount == 1 }
    let cursor = try await fixture.show(1)
    #expect(try await ended("it is given", first)?.head.cursor == cursor)
  }

  /// Of all lists: first each present head, then each new one, and none that the caller may not
  /// read.
  @Test func subscriberToAllListsGetsEachReadableListInItsLastState() async throws {
    let fixture = try BoardFixture()
    let names = ["films", "parks", "team-a", "team-b"].map { ListName($0)! }
    for name in names { try await fixture.commit(1, to: name) }
    let caller = try await fixture.caller(
      "reader", AccessGrant(.read, ListPattern("team-*")!),
      AccessGrant(.write, ListPattern("parks")!))
    var heads = fixture.headCache.headStream(for: caller).makeAsyncIterator()
    for name in names.dropFirst() { #expect(await heads.next()?.name == name) }
    try await fixture.show(2, in: names[2])
    try await fixture.show(2, in: .films)
    try await fixture.show(2, in: names[1])
    try await fixture.show(3, in: names[2])
    for (name, version) in [(names[1], 2), (names[2], 3)] {
      let head = await heads.next()
      #expect(head?.name == name && head?.head.cursor?.version == Version(version))
    }
    try await expectToWait(heads, fixture.headCache)
    let next = Task { [heads] in
      var heads = heads
      return await heads.next()
    }
    try await eventually("it waits") { fixture.headCache.watcherCount == 1 }
    let wakeCount = fixture.headCache.wakeCount
    try await fixture.show(3, in: .films)
    #expect(fixture.headCache.watcherCount == 1 && fixture.headCache.wakeCount == wakeCount)
    let team = ListName("team-new")!
    try await fixture.show(1, in: team)
    #expect(try await ended("it is given", next)?.name == team)
  }

  @Test func changeWakesEachOfItsWaitersOnceAndNoOther() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    for list in [ListName.parks, .films] { try await fixture.commit(1, to: list) }
    let films = try await fixture.caller("films", AccessGrant(.read, ListPattern("films")!))
    let all = try await fixture.caller("all", AccessGrant(.read, .all))
    let given = Given<[String: Int]>([:])
    let subscriptions: [(String, HeadStream, Int)] = [
      ("parks", headCache.headStream(of: .parks, for: all), 1500),
      ("films", headCache.headStream(of: .films, for: films), 1500),
      ("all of films", headCache.headStream(for: films), 100),
      ("all", headCache.headStream(for: all), 100),
    ]
    let tasks = subscriptions.flatMap { name, heads, count in
      (0..<count).map { _ in
        Task { for await _ in heads { given.value.withLock { $0[name, default: 0] += 1 } } }
      }
    }
    try await eventually("all wait") { headCache.watcherCount == 3200 }
    #expect(
      given.value.withLock { $0 } == [
        "parks": 1500, "films": 1500, "all of films": 100, "all": 200,
      ])
    #expect(headCache.wakeCount == 0)
    let counts = fixture.store.counts
    for value in 2...6 {
      given.value.withLock { $0 = [:] }
      let wakeCount = headCache.wakeCount
      try await fixture.show(value)
      try await eventually("all wait again") { headCache.watcherCount == 3200 }
      #expect(given.value.withLock { $0 } == ["parks": 1500, "all": 100])
      #expect(headCache.wakeCount - wakeCount == 1600)
    }
    // One reading for each change, whatever the number of waiters.
    #expect(fixture.store.counts.reads - counts.reads == 5)
    for task in tasks { task.cancel() }
    for task in tasks { try await ended("it is cancelled", task) }
    #expect(headCache.watcherCount == 0)
  }

  @Test func cancelledSubscriberLeavesNothingBehindAtAnyTime() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    try await fixture.show(1)
    var random = SeededRandom.forThisRun()
    for round in 0..<20 {
      let tasks = (0..<30).map { number in
        Task {
          let heads =
            number % 2 == 0
            ? headCache.headStream(of: .parks, for: .anyone) : headCache.headStream(for: .anyone)
          for await _ in heads {}
        }
      }
      if Bool.random(using: &random) { await Task.yield() }
      let change = Task { try await fixture.show(round + 2) }
      for task in tasks { task.cancel() }
      _ = try await change.value
      for task in tasks { try await ended("it is cancelled", task) }
      #expect(headCache.watcherCount == 0, "seed \(random.seed)")
    }
  }

  @Test func onlySubscriptionsOfARevokedTokenEnd() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    try await fixture.show(1)
    let anyone = Task { for await _ in headCache.headStream(of: .parks, for: .anyone) {} }
    try await eventually("it waits") { headCache.watcherCount == 1 }
    let reader = try await fixture.caller("reader", AccessGrant(.read, .all))
    // Now that there is a token, callers without one are no longer admitted.
    try await ended("anyone is let in no more", anyone)
    let other = try await fixture.caller("other", AccessGrant(.read, .all))
    let refused = [
      headCache.headStream(of: .parks, for: reader), headCache.headStream(for: reader),
    ]
    .map { heads in Task { for await _ in heads {} } }
    let lasting = Task { for await _ in headCache.headStream(of: .parks, for: other) {} }
    try await eventually("all wait") { headCache.watcherCount == 3 }
    try await fixture.revoke("reader")
    for task in refused { try await ended("it ends", task) }
    #expect(headCache.watcherCount == 1)
    var late = headCache.headStream(of: .parks, for: reader).makeAsyncIterator()
    #expect(await late.next() == nil)
    lasting.cancel()
    try await ended("it is cancelled", lasting)
  }

  @Test func subscriberGetsNothingOfAnUnreadableList() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    let caller = try await fixture.caller("reader", AccessGrant(.read, ListPattern("films")!))
    var heads = fixture.headCache.headStream(of: .parks, for: caller).makeAsyncIterator()
    #expect(await heads.next() == nil)
  }

  @Test func givenVersionsOnlyGrowAndEndWithTheNewest() async throws {
    var random = SeededRandom.forThisRun()
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    let lists = (0..<4).map { ListName("list\($0)")! }
    try await headCache.refresh()
    let given = Given<[[ListSummary]]>(Array(repeating: [], count: 12))
    let tasks = (0..<12).map { number in
      let heads =
        number < 4
        ? headCache.headStream(for: .anyone)
        : headCache.headStream(of: lists[number % 4], for: .anyone)
      return Task {
        for await head in heads {
          given.value.withLock { $0[number].append(head) }
          if number % 3 == 0 { try? await Task.sleep(for: .milliseconds(number)) }
        }
      }
    }
    for value in 0..<120 {
      let list = lists[Int.random(in: 0..<4, using: &random)]
      try await fixture.commit(value, to: list)
      if Int.random(in: 0..<9, using: &random) == 0 {
        try await fixture.test.service.prune(list, keepLast: 2)
      }
      if Bool.random(using: &random) { try await headCache.refresh() }
    }
    try await headCache.refresh()
    try await eventually("all wait") { headCache.watcherCount == 12 }
    for task in tasks { task.cancel() }
    for (number, heads) in given.value.withLock({ $0 }).enumerated() {
      for list in number < 4 ? lists : [lists[number % 4]] {
        let own = heads.filter { $0.name == list }
        #expect(own.last == headCache.head(of: list), "seed \(random.seed)")
        for (old, new) in zip(own, own.dropFirst()) {
          let versions = [old, new].compactMap(\.head.cursor?.version)
          #expect(versions[0] <= versions[1] && old.oldest <= new.oldest && old != new)
        }
      }
      #expect(number < 4 || heads.allSatisfy { $0.name == lists[number % 4] })
    }
  }

  /// The heads that subscribers got, recorded by all of them.
  private final class Given<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
  }

  /// Expects that an iterator has no next head, and waits until it is cancelled.
  private func expectToWait(_ heads: HeadStream, _ headCache: HeadCache) async throws {
    let next = Task {
      var heads = heads
      return await heads.next()
    }
    try await eventually("it waits") { headCache.watcherCount == 1 }
    next.cancel()
    #expect(try await ended("it is cancelled", next) == nil)
    #expect(headCache.watcherCount == 0)
  }
}
