import ListModel
import ListStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite(.timeLimit(.minutes(Hang.minutes))) struct HeadWaitTests {
  private static let zero = Cursor(version: .zero, chain: .zero)

  @Test func waitForADifferentHeadReturnsAtOnceIfThereIsOne() async throws {
    let fixture = try BoardFixture()
    let cursor = try await fixture.show(1)
    let head = await fixture.headCache.wait(
      for: .parks, otherThan: Self.zero, timeout: .seconds(30))
    #expect(head?.head.cursor == cursor)
    #expect(fixture.clock.sleeperCount == 0 && fixture.headCache.watcherCount == 0)
  }

  /// A change of the oldest version does not end it.
  @Test func onlyAChangeOfTheHeadEndsTheWait() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    try await fixture.show(1)
    let cursor = try await fixture.show(2)
    let wait = Task { await headCache.wait(for: .parks, otherThan: cursor, timeout: .seconds(30)) }
    try await eventually("it waits") {
      headCache.watcherCount == 1 && fixture.clock.sleeperCount == 1
    }
    try await fixture.show(1, in: .films)
    try await fixture.test.service.prune(keepLast: 1)
    try await headCache.refresh()
    try await eventually("it waits again") { headCache.watcherCount == 1 }
    let next = try await fixture.show(3)
    #expect(try await ended("the wait ends", wait)?.head.cursor == next)
    #expect(fixture.clock.sleeperCount == 0 && headCache.watcherCount == 0)
  }

  @Test func waitEndsExactlyAtItsTimeout() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    let cursor = try await fixture.show(1)
    let wait = Task { await headCache.wait(for: .parks, otherThan: cursor, timeout: .seconds(30)) }
    try await eventually("it waits") {
      headCache.watcherCount == 1 && fixture.clock.sleeperCount == 1
    }
    fixture.clock.advance(by: .milliseconds(29_999))
    #expect(headCache.watcherCount == 1 && fixture.clock.sleeperCount == 1)
    fixture.clock.advance(by: .milliseconds(1))
    #expect(try await ended("the wait ends", wait) == nil)
    #expect(fixture.clock.sleeperCount == 0 && headCache.watcherCount == 0)
    #expect(await headCache.wait(for: .parks, otherThan: cursor, timeout: .zero) == nil)
  }

  @Test func cancelledWaitReturnsNilAndLeavesNothingBehind() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    let cursor = try await fixture.show(1)
    let waits = (0..<50).map { number in
      let timeout = Duration.seconds(number + 1)
      return Task { await headCache.wait(for: .parks, otherThan: cursor, timeout: timeout) }
    }
    try await eventually("all wait") {
      headCache.watcherCount == 50 && fixture.clock.sleeperCount == 50
    }
    for wait in waits { wait.cancel() }
    for wait in waits { #expect(try await ended("the wait ends", wait) == nil) }
    #expect(fixture.clock.sleeperCount == 0 && headCache.watcherCount == 0)
  }

  @Test func oneChangeEndsAThousandWaitsWithOneReading() async throws {
    let fixture = try BoardFixture()
    let headCache = fixture.headCache
    let cursor = try await fixture.show(1)
    let waits = (0..<1000).map { _ in
      Task { await headCache.wait(for: .parks, otherThan: cursor, timeout: .seconds(30)) }
    }
    try await eventually("all wait") { headCache.watcherCount == 1000 }
    let reads = fixture.store.counts.reads
    let next = try await fixture.show(2)
    for wait in waits { #expect(try await ended("the wait ends", wait)?.head.cursor == next) }
    #expect(headCache.wakeCount == 1000 && fixture.store.counts.reads == reads + 1)
    #expect(fixture.clock.sleeperCount == 0 && headCache.watcherCount == 0)
  }

  @Test func waitForAMissingListEndsWithItsFirstHead() async throws {
    let fixture = try BoardFixture()
    try await fixture.headCache.refresh()
    let wait = Task {
      await fixture.headCache.wait(for: .parks, otherThan: Self.zero, timeout: .seconds(30))
    }
    try await eventually("it waits") { fixture.headCache.watcherCount == 1 }
    let cursor = try await fixture.show(1)
    #expect(try await ended("the wait ends", wait)?.head.cursor == cursor)
  }
}
