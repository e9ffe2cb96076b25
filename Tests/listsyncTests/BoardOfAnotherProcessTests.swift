import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// A cache in this process, while the built program commits and creates tokens in another.
@Suite struct BoardOfAnotherProcessTests {
  @Test func boardShowsCommitsOfAnotherProcessAfterOneInterval() async throws {
    let harness = try await CommandLineHarness.withParks()
    let store = try SQLiteStore(path: harness.url("listsync.db").path, ifAbsent: .fail)
    let watched = WatchedStore(store)
    let clock = ManualClock()
    let headCache = HeadCache(
      service: SyncService(store: watched) { Timestamp(Date()) }, clock: clock)
    let run = Task { try await headCache.run() }
    defer { run.cancel() }
    func pass() async throws {
      let marks = watched.counts.marks
      clock.advance(by: .milliseconds(50))
      try await eventually("the headCache has looked") {
        watched.counts.marks == marks + 1 && clock.sleeperCount == 1
      }
    }
    try await eventually("the headCache sleeps") { clock.sleeperCount == 1 }
    #expect(headCache.head(of: .parks)?.head.cursor?.version == Version(2))
    let next = Task {
      await headCache.wait(
        for: .parks, otherThan: headCache.head(of: .parks)!.head.cursor!, timeout: .seconds(3600))
    }
    try await eventually("it waits") { headCache.watcherCount == 1 && clock.sleeperCount == 2 }
    try await harness.succeed("commit", "parks", Example.url("parks-before.json").path)
    let marks = watched.counts.marks
    clock.advance(by: .milliseconds(50))
    #expect(try await ended("the wait ends", next)?.head.cursor?.version == Version(3))
    #expect(watched.counts.marks == marks + 1)

    try await eventually("the headCache sleeps") { clock.sleeperCount == 1 }
    try await harness.succeed("prune", "parks", "--keep-last", "1", "--vacuum")
    try await pass()
    #expect(headCache.head(of: .parks)?.oldest == Version(3))
    let secret = String(
      try await harness.succeed("token", "create", "reader", "--read", "*").text.dropLast())
    try await pass()
    let caller = try #require(headCache.access.caller(presenting: secret))
    let subscription = Task { for await _ in headCache.headStream(for: caller) {} }
    try await eventually("it waits") { headCache.watcherCount == 1 }
    try await harness.succeed("token", "revoke", "reader")
    try await pass()
    #expect(headCache.access.caller(presenting: secret) == nil)
    try await ended("the subscription ends", subscription)
    let reads = watched.counts.reads
    for _ in 0..<5 { try await pass() }
    #expect(watched.counts.reads == reads)
  }
}
