import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

/// Commits of the process itself, which its cache shows without reading them.
@Suite struct OwnCommitTests {
  private func request(_ value: Int, to list: ListName = .parks) throws -> CommitRequest {
    CommitRequest(list: list, snapshot: try .of("a=\(value)"))
  }

  @Test func aCommitThatFollowsTheShownHeadIsShownWithoutReading() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    let counts = fixture.store.counts
    for value in 2...9 {
      var request = try request(value)
      request.idRule = "/id\(value)"
      request.titlePath = JSONPointer("/title\(value)")
      request.limits[.removed] = ChangeLimit("\(value)")
      let outcome = try await fixture.test.service.commit(request)
      try await fixture.headCache.show(outcome, of: request)
      #expect(fixture.store.counts == counts)
      #expect(try await fixture.test.service.lists() == fixture.headCache.heads())
    }
    // The same list again sets no more than a rule.
    var again = try request(9)
    again.idRule = "/key"
    let outcome = try await fixture.test.service.commit(again)
    try await fixture.headCache.show(outcome, of: again)
    #expect(fixture.store.counts == counts)
    #expect(try await fixture.test.service.lists() == fixture.headCache.heads())
    // The next reading finds nothing new.
    let number = fixture.headCache.lastNumber
    try await fixture.headCache.refresh()
    #expect(fixture.headCache.lastNumber == number)
  }

  @Test func aCommitThatDoesNotFollowTheShownHeadIsRead() async throws {
    let fixture = try BoardFixture()
    // A new list.
    var request = try request(1)
    var outcome = try await fixture.test.service.commit(request)
    try await fixture.headCache.show(outcome, of: request)
    #expect(fixture.headCache.head(of: .parks)?.head == outcome.state)
    // Another process commits between.
    try await fixture.commit(2)
    request = try self.request(3)
    outcome = try await fixture.test.service.commit(request)
    try await fixture.commit(4)
    try await fixture.headCache.show(outcome, of: request)
    #expect(fixture.headCache.head(of: .parks)?.head.version == Version(4))
    // The list begins again, and has the same version.
    try await fixture.headCache.refresh()
    _ = try await fixture.test.service.drop(DepartureRequest(list: .parks))
    for value in 1...4 {
      request = try self.request(value)
      request.beginsAgain = true
      outcome = try await fixture.test.service.commit(request)
    }
    request = try self.request(5)
    outcome = try await fixture.test.service.commit(request)
    try await fixture.headCache.show(outcome, of: request)
    #expect(fixture.headCache.heads() == (try await fixture.test.service.lists()))
  }

  @Test func aStoreThatIsReadFromAStandbyIsReadAfterACommit() async throws {
    let (primary, standby) = (try TestStore(), try TestStore())
    let service = SyncService(
      store: StandbyStore(primary: primary.store, standby: standby.store)
    ) { TestStore.noon }
    let headCache = HeadCache(service: service)
    for value in 1...2 {
      for test in [primary, standby] { _ = try await test.service.commit(request(value)) }
    }
    try await headCache.refresh()
    for value in 3...4 {
      let request = try request(value)
      try await headCache.show(try await service.commit(request), of: request)
      #expect(headCache.heads() == (try await standby.service.lists()))
    }
    #expect(try await primary.service.lists().first?.head.version == Version(4))
  }

  @Test func aCommitDuringAReadingIsShownAfterIt() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    try await fixture.commit(1, to: .films)
    let gate = ManualClock()
    fixture.store.afterNextRead { try await gate.sleep(for: .seconds(1)) }
    let slow = Task { try await fixture.headCache.refresh() }
    try await eventually("the reading has its answer") { gate.sleeperCount == 1 }
    let request = try request(2)
    let outcome = try await fixture.test.service.commit(request)
    let shown = Task { try await fixture.headCache.show(outcome, of: request) }
    gate.advance(by: .seconds(1))
    try await slow.value
    try await shown.value
    #expect(fixture.headCache.head(of: .parks)?.head == outcome.state)
  }

  @Test func aReadingThatWasAskedForIsMadeAfterOneThatFailed() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    try await fixture.commit(1, to: .films)
    fixture.store.fail(marks: .listFull)
    await #expect(throws: StoreError.self) { try await fixture.headCache.refresh() }
    fixture.store.fail()
    let request = try request(2)
    let outcome = try await fixture.test.service.commit(request)
    try await fixture.headCache.show(outcome, of: request)
    #expect(fixture.headCache.head(of: .films) != nil)
  }

  @Test func concurrentCommitsAreEachShownAndNoHeadGoesBack() async throws {
    let fixture = try BoardFixture()
    let lists = [ListName.parks, .films, ListName("channels")!]
    let numbers = Mutex<[ListName: Int]>([:])
    let watcher = Task {
      for await head in fixture.headCache.headStream(for: .anyone) {
        let version = head.head.version.number
        numbers.withLock { numbers in
          #expect(numbers[head.name, default: 0] < version, "\(head.name) went back to \(version)")
          numbers[head.name] = version
        }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          for value in 0..<15 {
            let list = lists[(task + value) % lists.count]
            let request = try request(task * 100 + value, to: list)
            let outcome = try await fixture.test.service.commit(request)
            // Those of another process are not told to the cache.
            if value % 5 == 4 { continue }
            try await fixture.headCache.show(outcome, of: request)
            let shown = fixture.headCache.head(of: list)?.head.version ?? .zero
            #expect(shown >= outcome.state.version)
          }
        }
      }
      try await group.waitForAll()
    }
    try await fixture.headCache.refresh()
    #expect(fixture.headCache.heads() == (try await fixture.test.service.lists()))
    watcher.cancel()
    await watcher.value
  }
}
