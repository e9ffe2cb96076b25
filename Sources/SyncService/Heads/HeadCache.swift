import ListModel
import ListStore
import Synchronization

/// A copy of the newest heads of all lists and of the access list, so that reading them, or waiting
/// for a change, costs the store nothing.
///
/// At an interval, the cache checks the store for commits. After one, it reads the heads of the
/// lists that changed, and the tokens if one did. A commit of another process is shown after the
/// interval at the latest, a commit of this process after ``show(_:of:)`` or ``refresh()``. Before
/// the first reading, the cache shows no list and admits nobody.
public final class HeadCache: Sendable {
  let clock: any Clock<Duration>
  let service: SyncService
  let seal = MarkSeal()
  private let interval: Duration
  let rest: @Sendable () async -> Void
  /// Guarded by its mutex, which no closure holds while it waits.
  let state = Mutex(HeadCacheState())
  private let readings = SerialReadings()

  /// - Parameters:
  ///   - service: reads the heads.
  ///   - interval: the time between two checks for commits by ``run()``; nil for that of the store.
  ///   - clock: measures the interval and the timeout of
  ///     ``wait(for:otherThan:timeout:caller:)``.
  public convenience init(
    service: SyncService, interval: Duration? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      service: service, interval: interval, clock: clock, rest: ProcessorRest.take)
  }

  /// - Parameter rest: waits between the turns of some watchers and those of the next ones.
  package init(
    service: SyncService, interval: Duration?, clock: any Clock<Duration>,
    rest: @escaping @Sendable () async -> Void
  ) {
    self.service = service
    self.interval = interval ?? service.store.pollingInterval
    self.clock = clock
    self.rest = rest
  }

  // MARK: Following the store

  /// Follows the store until the task is cancelled.
  ///
  /// While the store fails, the cache keeps its state, sets ``failure``, and tries again after each
  /// interval.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; `StoreError.replaced` when the
  ///   store's file is no longer at its path, since the cache would stay outdated for ever.
  public func run() async throws {
    while true {
      do {
        try await refresh()
      } catch let error as StoreError {
        if case .replaced = error { throw error }
      } catch {
        // The cache keeps the failure; callers read it there.
      }
      try await clock.sleep(for: interval)
    }
  }

  /// Shows all that was committed before the call. Concurrent calls share a reading.
  ///
  /// - Throws: `StoreError`; the cache then keeps its state.
  /// - Complexity: O(c) rows read for c lists that changed since the last reading, whatever the
  ///   number of lists; one query to the store if there was no commit. `HeadCacheTests` counts.
  public func refresh() async throws {
    state.withLock { $0.isReadingAsked = true }
    try await readings.next { try await self.catchUp() }
  }

  /// Whether the store can be read, and answers in time. ``refresh()`` waits for a store that
  /// hangs, such as one on a disk that does not answer.
  ///
  /// - Parameter time: by the clock of this cache.
  public func isReadable(within time: Duration) async -> Bool {
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    // Nothing can end a reading that hangs, so nobody waits for it.
    Task { answer.yield((try? await refresh()) != nil) }
    let timer = Task {
      try await clock.sleep(for: time)
      answer.yield(false)
    }
    defer { timer.cancel() }
    return await answers.first { _ in true } ?? false
  }

  /// Shows a commit of this process. Reads the store, as ``refresh()`` does, only if the commit
  /// does not follow the shown head.
  ///
  /// - Throws: `StoreError`; the cache then keeps its state.
  public func show(_ outcome: CommitOutcome, of request: CommitRequest) async throws {
    state.withLock { $0.ownCommits.append(OwnCommit(request, outcome)) }
    try await readings.next { try await self.catchUp() }
  }

  /// Does what was asked for. As the only writer of the shown state it never shows an older head
  /// after a newer one.
  private func catchUp() async throws {
    let (isReadingAsked, commits) = state.withLock { state in
      defer { (state.isReadingAsked, state.ownCommits) = (false, []) }
      return (state.isReadingAsked, state.ownCommits)
    }
    if !isReadingAsked, service.store.readsOwnCommits, commits.allSatisfy(show) { return }
    do {
      try await read()
    } catch {
      state.withLock { $0.isReadingAsked = true }
      throw error
    }
  }

  /// - Returns: whether the cache shows the commit now.
  private func show(_ commit: OwnCommit) -> Bool {
    let isShown = state.withLock { state in
      guard let shown = state.shown.change(of: commit.list)?.head,
        let head = commit.head(after: shown)
      else { return false }
      guard head != shown else { return true }
      state.shown.replace(head)
      state.watchers.announce([commit.list])
      return true
    }
    giveTurns()
    return isShown
  }

  private func read() async throws {
    // Before the reading, so that all shown commits are known up to this moment.
    let time = service.now()
    do {
      let mark = try await service.store.dataVersion()
      let isShown = state.withLock { state in
        guard state.mark == mark else { return false }
        state.lastReadAt = time
        state.failure = nil
        return true
      }
      if isShown { return }
      let (headMark, retiredCount) = state.withLock { ($0.headMark, $0.retiredCount) }
      // The mark is from before the reading: a commit in between is read again, not missed.
      let reading = try await service.store.read {
        try HeadReading($0, after: headMark, retiredCount: retiredCount)
      }
      show(reading, mark: mark, time: time)
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  private func show(_ reading: HeadReading, mark: DataVersion, time: Timestamp) {
    let refused = state.withLock { state in
      if reading.asked == nil { (state.retiredLists, state.retiredCount) = ([:], 0) }
      for list in reading.retiredLists { state.retiredLists[list.name] = list }
      state.retiredCount += reading.retiredLists.count
      let changed = state.shown.show(reading.heads, asked: reading.asked)
      state.watchers.announce(changed)
      var refused: [HeadWatchers.Watcher] = []
      if let tokens = reading.tokens, state.tokens != tokens {
        let access = AccessList(tokens)
        (state.tokens, state.access) = (tokens, access)
        state.seen = [:]
        refused = state.watchers.remove { caller in caller.map { !access.admits($0) } ?? false }
      }
      (state.mark, state.headMark, state.lastReadAt, state.failure) = (
        mark, reading.mark, time, nil
      )
      return refused
    }
    for watcher in refused { watcher.continuation.resume() }
    giveTurns()
  }

  // MARK: The shown state

  /// The lists that a caller may read with their newest version, by name.
  ///
  /// - Parameters:
  ///   - range: the range of their names.
  ///   - caller: whose token says which lists it may read.
  /// - Complexity: O(p log l + n) for p patterns of the caller's token and n of l lists; without
  ///   the store. `HeadIndexTests` counts.
  public func heads(
    _ range: NameRange = NameRange(), for caller: Caller = .anyone
  ) -> [ListSummary] {
    let patterns = caller.readable
    return state.withLock { $0.shown.heads(range, matching: patterns) }
  }

  // Complexity of each of the following: O(1), without the store.

  /// The number of lists.
  public var listCount: Int { state.withLock { $0.shown.count } }

  /// The newest version of a list; nil if there is no such list.
  public func head(of list: ListName) -> ListSummary? {
    state.withLock { $0.shown.change(of: list)?.head }
  }

  /// The record of a list that was dropped or renamed; nil if a list has the name, or none had it.
  public func retiredList(_ name: ListName) -> RetiredList? {
    state.withLock { $0.retiredList(name) }
  }

  /// The number of the last change.
  var lastNumber: Int { state.withLock { $0.shown.lastNumber } }

  /// The number of the last change that a caller sees.
  func lastNumber(for caller: Caller) -> Int { state.withLock { $0.lastNumber(for: caller) } }

  /// The changes after a number, without waiting.
  ///
  /// - Complexity: as ``HeadIndex/changes(after:limit:where:)``.
  func changes(after number: Int, _ limit: Int, _ caller: Caller) -> HeadChanges {
    state.withLock { state in
      let last = state.lastNumber(for: caller)
      guard number < last else {
        return HeadChanges(lists: [], gone: [], last: last, hasMore: false)
      }
      var found = state.shown.changes(after: number, limit: limit, where: caller.mayRead)
      if !found.hasMore { found.last = last }
      return found
    }
  }

  /// The tokens and their rights.
  public var access: AccessList { state.withLock { $0.access } }

  /// The last moment at which the store is known to have held the shown state; nil before the first
  /// reading.
  public var lastReadAt: Timestamp? { state.withLock { $0.lastReadAt } }

  /// The error of the last reading; nil if it succeeded.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  /// The number of watchers that wait for a change.
  package var watcherCount: Int { state.withLock { $0.watchers.waitingCount } }

  /// The number of watchers that wait for their turn.
  package var dueCount: Int { state.withLock { $0.watchers.dueCount } }

  /// How many times a watcher got a turn.
  package var wakeCount: Int { state.withLock { $0.wakeCount } }
}
