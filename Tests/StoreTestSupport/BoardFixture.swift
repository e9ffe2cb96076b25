import ListModel
import ListStore
import SyncService
import TestSupport

/// A cache over a store that counts its queries, with a clock that does not advance.
package struct BoardFixture: Sendable {
  package let test: TestStore
  package let store: WatchedStore
  package let clock = ManualClock()
  package let headCache: HeadCache

  package static let interval = Duration.milliseconds(50)

  package init(now: @escaping @Sendable () -> Timestamp = { TestStore.noon }) throws {
    test = try TestStore(now: now)
    store = WatchedStore(test.store)
    headCache = HeadCache(
      service: SyncService(store: store, now: now), interval: Self.interval, clock: clock)
  }

  /// Commits one item with a value, without refreshing the cache.
  @discardableResult
  package func commit(_ value: Int, to list: ListName = .parks) async throws -> Cursor {
    let snapshot = try Snapshot.of("a=\(value)")
    return try await test.service.commit(.init(list: list, snapshot: snapshot)).state.cursor!
  }

  /// Commits, and shows it.
  @discardableResult
  package func show(_ value: Int, in list: ListName = .parks) async throws -> Cursor {
    let cursor = try await commit(value, to: list)
    try await headCache.refresh()
    return cursor
  }

  /// A caller with a new token, which the cache has read.
  package func caller(_ name: String, _ grants: AccessGrant...) async throws -> Caller {
    let token = try await test.service.makeToken(named: TokenName(name)!, grants: grants)
    try await headCache.refresh()
    return headCache.access.caller(presenting: token.secret.text)!
  }

  package func revoke(_ name: String) async throws {
    try await test.service.revokeToken(named: TokenName(name)!)
    try await headCache.refresh()
  }

  /// Runs the cache while a body runs, from the moment on in which it has slept first.
  package func running(_ body: () async throws -> Void) async throws {
    let run = Task { try await headCache.run() }
    defer { run.cancel() }
    try await eventually("the headCache sleeps") { clock.sleeperCount == 1 }
    try await body()
  }

  /// Lets an interval go by, and the cache look at the store once.
  package func pass() async throws {
    let marks = store.counts.marks
    clock.advance(by: Self.interval)
    try await eventually("the headCache has looked") {
      store.counts.marks == marks + 1 && clock.sleeperCount == 1
    }
  }
}

extension ListName {
  package static let films = ListName("films")!
}
