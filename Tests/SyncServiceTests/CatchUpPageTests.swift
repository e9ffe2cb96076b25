import ListChanges
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

/// Pages, and snapshots instead of changes.
@Suite(.serialized) struct CatchUpPageTests {
  private func history(_ test: TestStore) async throws -> TestHistory {
    var random = SeededRandom.forThisRun()
    var history = TestHistory(test)
    try await history.commit(history.newItems(60))
    for step in 0..<25 {
      let count = step % 9 == 8 ? 60 : Int.random(in: 1...6, using: &random)
      try await history.commitEdits(count, &random)
    }
    return history
  }

  private func page(
    _ test: TestStore, _ from: Int, _ to: Int, limit: Int
  ) async throws -> Delta {
    var request = CatchUpRequest(list: .parks, since: .version(Version(from)))
    request.to = .version(Version(to))
    request.changeLimit = limit
    let answer = try await test.service.catchUp(request)
    guard case .changes(let delta) = answer else {
      throw StoreError.corrupt(reason: "a snapshot, though none was asked for")
    }
    return delta
  }

  @Test(arguments: [1, 2, 7, 20, 61, 10_000])
  func pagesEndOnVersionsAndReachTheTarget(limit: Int) async throws {
    let test = try TestStore()
    let history = try await history(test)
    let head = history.head.number
    for (from, to) in [(0, head), (head, 0), (3, head - 2), (head - 2, 3), (1, 2), (2, 1), (4, 4)] {
      var (version, list) = (from, history.snapshots[from])
      var hasMore = true
      while hasMore {
        let delta = try await page(test, version, to, limit: limit)
        let reached = try #require(delta.to.cursor).version.number
        #expect(delta.changes == list.changes(to: history.snapshots[reached]))
        #expect(from == to || abs(to - reached) < abs(to - version), "a page goes on")
        #expect(delta.more == (reached != to))
        let range = min(version, reached) + 1...max(version, reached, min(version, reached) + 1)
        if abs(reached - version) > 1 {
          #expect(try await changeCount(test, range) <= limit)
        }
        if delta.more {
          let next = reached < to ? range.lowerBound...reached + 1 : reached...version
          #expect(try await changeCount(test, next) > limit, "a page is as long as it may be")
        }
        (list, version, hasMore) = (try list.applying(delta.changes), reached, delta.more)
      }
      #expect(version == to)
      #expect(list == history.snapshots[to])
    }
  }

  private func changeCount(_ test: TestStore, _ range: ClosedRange<Int>) async throws -> Int {
    try await test.store.read { reader in
      try reader.changeCount(
        Version(range.lowerBound)...Version(range.upperBound),
        of: reader.existingList(.parks).key)
    }
  }

  private func answer(
    _ test: TestStore, since: Revision, _ change: (inout CatchUpRequest) -> Void
  ) async throws -> CatchUpAnswer<Delta> {
    var request = CatchUpRequest(list: .parks, since: since)
    change(&request)
    return try await test.service.catchUp(request)
  }

  @Test func newClientReceivesTheWholeListOnRequest() async throws {
    let test = try TestStore()
    let history = try await history(test)
    let first = try await answer(test, since: .version(.zero)) { $0.fallsBack = true }
    guard case .snapshot(let delta) = first else {
      Issue.record("expected a snapshot, got \(first)")
      return
    }
    #expect(delta.reason == .first)
    #expect(delta.from == .zero)
    #expect(delta.snapshot == history.snapshots.last)
    guard case .changes = try await answer(test, since: .version(.zero), { _ in }) else {
      Issue.record("a snapshot, though none was asked for")
      return
    }
    // An absent list cannot be a start.
    let nothing = try await answer(test, since: .version(.zero)) {
      ($0.fallsBack, $0.to) = (true, .version(.zero))
    }
    #expect(nothing.to == .zero)
    if case .snapshot = nothing { Issue.record("a snapshot of version 0") }
  }

  @Test func divergedClientReceivesTheWholeListOnRequest() async throws {
    let test = try TestStore()
    let history = try await history(test)
    let stranger = try #require(Cursor("3-00000000000000000000000000000000"))
    await #expect(throws: ServiceError.self) {
      try await answer(test, since: .cursor(stranger)) { _ in }
    }
    let fallen = try await answer(test, since: .cursor(stranger)) { $0.fallsBack = true }
    guard case .snapshot(let delta) = fallen else {
      Issue.record("expected a snapshot, got \(fallen)")
      return
    }
    #expect(delta.reason == .diverged && delta.from == nil)
    #expect(delta.snapshot == history.snapshots.last)
    // A version that never existed is an error, not a sign of another history.
    await #expect(throws: ServiceError.self) {
      try await answer(test, since: .version(Version(99))) { $0.fallsBack = true }
    }
  }

  @Test func clientWithAPrunedVersionReceivesTheWholeListOnRequest() async throws {
    let test = try TestStore()
    let history = try await history(test)
    try await test.sql("UPDATE lists SET oldest = 5")
    await #expect(throws: ServiceError.self) {
      try await answer(test, since: .version(Version(4))) { _ in }
    }
    let fallen = try await answer(test, since: .version(Version(4))) { $0.fallsBack = true }
    guard case .snapshot(let delta) = fallen else {
      Issue.record("expected a snapshot, got \(fallen)")
      return
    }
    #expect(delta.reason == .tooOld && delta.oldest == Version(5))
    #expect(delta.snapshot == history.snapshots.last)
  }

  @Test func answerIsTheSmallerOfListAndDeltaOnRequest() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    let items = try history.newItems(50)
    try await history.commit(items)
    try await history.commit(Array(items.prefix(10)))
    try await history.commit(Array(items.prefix(9)) + history.newItems(1))
    for (since, isSnapshot) in [(1, true), (2, false)] {
      let answer = try await answer(test, since: .version(Version(since))) {
        $0.takesSmaller = true
      }
      switch answer {
      case .snapshot(let delta):
        #expect(isSnapshot)
        #expect(delta.reason == .smaller && delta.from?.cursor?.version.number == since)
        #expect(delta.snapshot == history.snapshots.last)
      case .changes(let delta):
        #expect(!isSnapshot)
        #expect(try history.snapshots[since].applying(delta.changes) == history.snapshots.last)
      }
    }
  }

  @Test func smallerWholeListIsThatOfTheTargetAndNotOfThePageEnd() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    try await history.commit(try history.newItems(50))
    try await history.commit(try history.newItems(5))
    try await history.commit(try history.newItems(5))
    let answer = try await answer(test, since: .version(Version(1))) {
      ($0.takesSmaller, $0.changeLimit) = (true, 1)
    }
    guard case .snapshot(let delta) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(delta.to.cursor?.version == Version(3))
    #expect(delta.snapshot == history.snapshots.last)
  }

  @Test func smallDeltaOfALongListReadsAFewRows() async throws {
    let test = try TestStore()
    var history = TestHistory(test)
    let items = try history.newItems(5000)
    try await history.commit(items)
    try await history.commit(items + history.newItems(10))
    let rows = try await test.rowsRead {
      _ = try await answer(test, since: .version(Version(1))) { $0.takesSmaller = true }
    }
    #expect(rows < 50)
  }

  /// The chosen way costs at most the estimate, plus a row a version and a text a change. A row of
  /// the log has many changes.
  @Test func catchUpReadsTheEstimatedNumberOfRows() async throws {
    let test = try TestStore()
    var random = SeededRandom.forThisRun()
    var history = TestHistory(test)
    try await history.commit(history.newItems(600))
    for _ in 0..<60 { try await history.commitEdits(20, &random) }
    var routes: Set<String> = []
    for _ in 0..<60 {
      let (a, b) = history.randomPairs(1, &random)[0]
      let (low, high) = (Version(min(a, b)), Version(max(a, b)))
      guard low < high else { continue }
      let before = test.store.rowsReadCount
      let route = try await test.store.read { reader in
        let list = try reader.existingList(.parks)
        let route = try reader.route(of: list, from: low, to: high)
        _ =
          route.way == .steps
          ? try reader.composedChanges(of: list, from: low, to: high)
          : try reader.comparedChanges(of: list, from: low, to: high)
        return route
      }
      let read = test.store.rowsReadCount - before
      routes.insert("\(route.way)")
      // A version read again, a part of the head and a checkpoint are rows, too.
      let overhead = 2 * (high.number + 2) + 8
      #expect(
        read <= route.rowCount + overhead,
        "\(low) to \(high) by \(route.way): \(read) rows, \(route.rowCount) estimated")
    }
    #expect(routes == ["steps", "snapshots"], "seed \(random.seed)")
  }
}
