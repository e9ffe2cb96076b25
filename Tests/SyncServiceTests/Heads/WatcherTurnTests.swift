import ListModel
import ListStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SyncService

/// However many watch a list, its commits do not wait for them.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct WatcherTurnTests {
  /// Rests that end when the test says so.
  private final class Rests: Sendable {
    private let resting = Mutex<[CheckedContinuation<Void, Never>]>([])

    func rest() async {
      await withCheckedContinuation { rest in resting.withLock { $0.append(rest) } }
    }

    func end() {
      let ended = resting.withLock { resting in
        defer { resting = [] }
        return resting
      }
      for rest in ended { rest.resume() }
    }
  }

  private struct World {
    let test: TestStore
    let rests = Rests()
    let headCache: HeadCache

    init() async throws {
      test = try TestStore()
      headCache = HeadCache(
        service: test.service, interval: nil, clock: ManualClock(), rest: rests.rest)
      try await headCache.refresh()
    }

    /// Commits a value as a server does.
    @discardableResult
    func commit(_ value: Int) async throws -> ListState {
      let request = CommitRequest(list: .parks, snapshot: try .of("a=\(value)"))
      let outcome = try await test.service.commit(request)
      try await headCache.show(outcome, of: request)
      return outcome.state
    }
  }

  /// A former fault: each of 2,000 streams wrote each of 200 versions, and the commits took 100
  /// times as long as without them.
  @Test func newsToTwoThousandWatchersAreJoined() async throws {
    let (world, count) = (try await World(), 2_000)
    let headCache = world.headCache
    try await world.commit(0)
    let given = Given(count)
    let tasks = (0..<count).map { number in
      Task {
        for await head in headCache.headStream(of: .parks, for: .anyone) {
          given.add(head.head, to: number)
        }
      }
    }
    try await eventually("all wait") { headCache.watcherCount == count }
    for value in 1...200 { try await world.commit(value) }
    // As many as have a turn before the first rest; the commits have waited for no other.
    #expect(headCache.wakeCount <= HeadCache.turnCount)
    let newest = try await world.commit(201)
    try await eventually("all have the newest head") {
      world.rests.end()
      return given.haveAll(newest)
    }
    #expect(headCache.wakeCount <= count + HeadCache.turnCount, "\(headCache.wakeCount) turns")
    // The first head, a turn, and the newest head.
    #expect(given.mostHeads <= 3)
    for task in tasks { task.cancel() }
    for task in tasks { try await ended("it is cancelled", task) }
    #expect(headCache.watcherCount == 0)
  }

  @Test func watchersWhoAreFewGetTheirNewsWithoutARest() async throws {
    let world = try await World()
    try await world.commit(0)
    var heads = world.headCache.headStream(of: .parks, for: .anyone).makeAsyncIterator()
    _ = await heads.next()
    for value in 1..<HeadCache.turnCount {
      let state = try await world.commit(value)
      #expect(await heads.next()?.head == state)
    }
  }

  /// A wait for a head that is there already is news like any other.
  @Test func requestsThatAskAgainAtOnceHaveTurnsToo() async throws {
    let world = try await World()
    var cursor = try await world.commit(0).cursor
    for value in 1...HeadCache.turnCount {
      let state = try await world.commit(value)
      let head = await world.headCache.wait(for: .parks, otherThan: cursor, timeout: .seconds(9))
      #expect(head?.head == state)
      cursor = state.cursor
    }
    let state = try await world.commit(-1)
    let (headCache, known) = (world.headCache, cursor)
    let late = Task { await headCache.wait(for: .parks, otherThan: known, timeout: .seconds(9)) }
    try await eventually("it gets a turn after the rest") {
      world.rests.end()
      return headCache.wakeCount == HeadCache.turnCount + 1
    }
    #expect(try await ended("it ends", late)?.head == state)
  }

  @Test func watcherThatIsRevokedOrCancelledNeedsNoTurn() async throws {
    let world = try await World()
    let cursor = try await world.commit(0).cursor
    let token = try await world.test.service.makeToken(
      named: TokenName("reader")!, grants: [AccessGrant(.read, .all)])
    try await world.headCache.refresh()
    let caller = try #require(world.headCache.access.caller(presenting: token.secret.text))
    let headCache = world.headCache
    for value in 1...HeadCache.turnCount {
      try await world.commit(value)
      _ = await headCache.wait(for: .parks, otherThan: cursor, timeout: .seconds(9))
    }
    // No turn is left, and no rest ends.
    let waits = (0..<4).map { _ in
      Task {
        await headCache.wait(for: .parks, otherThan: nil, timeout: .seconds(9), caller: caller)
      }
    }
    try await eventually("all are due") { headCache.dueCount == 4 }
    waits[0].cancel()
    #expect(try await ended("it is cancelled", waits[0]) == nil)
    try await world.test.service.revokeToken(named: TokenName("reader")!)
    try await headCache.refresh()
    for wait in waits { #expect(try await ended("it ends", wait) == nil) }
    #expect(headCache.wakeCount == HeadCache.turnCount)
  }

  /// The heads that readers got.
  private final class Given: Sendable {
    private let heads: Mutex<[[ListState]]>

    init(_ count: Int) { heads = Mutex(Array(repeating: [], count: count)) }

    func add(_ head: ListState, to number: Int) { heads.withLock { $0[number].append(head) } }

    func haveAll(_ head: ListState) -> Bool { heads.withLock { $0.allSatisfy { $0.last == head } } }

    var mostHeads: Int { heads.withLock { $0.map(\.count).max() ?? 0 } }
  }
}
