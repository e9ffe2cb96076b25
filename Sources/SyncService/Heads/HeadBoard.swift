import ListModel
import ListStore
import Synchronization

/// The newest heads of all lists, and who may ask for them, without asking the store each time.
///
/// It asks the store at an interval whether anybody committed, and only then reads heads and
/// tokens: what another process commits is shown after the interval at the latest, and what this
/// one commits after ``refresh()``. Whoever looks at the board, or waits for a change, costs the
/// store nothing.
///
/// Until the first reading it shows no list, and lets nobody in.
public final class HeadBoard: Sendable {
  /// How often the store is asked whether anybody committed, unless told otherwise.
  public static let standardInterval = Duration.milliseconds(50)

  private struct State {
    var shown = ShownHeads()
    var tokens: [TokenRecord]?
    var access = AccessList.nobody
    /// Of the state that is shown.
    var mark: StateMark?
    var lastReadAt: Timestamp?
    var failure: (any Error)?
    var watchers = HeadWatchers()
    var nextWatcherID = 0
    /// How often somebody who waited was woken.
    var wakeCount = 0
  }

  let clock: any Clock<Duration>
  private let service: SyncService
  private let interval: Duration
  private let state = Mutex(State())
  private let readings = SerialReadings()

  /// - Parameters:
  ///   - interval: how often ``run()`` asks the store whether anybody committed.
  ///   - clock: measures the interval, and how long ``wait(for:otherThan:timeout:)`` waits.
  public init(
    service: SyncService, interval: Duration = HeadBoard.standardInterval,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.service = service
    self.interval = interval
    self.clock = clock
  }

  // MARK: Keeping up

  /// Keeps up with the store until the task is cancelled.
  ///
  /// While the store fails, the board shows what it has, says why by ``failure``, and tries again
  /// after each interval.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; `StoreError.replaced` when the
  ///   store's file is no longer at its path: the board could only show an old state from then on.
  public func run() async throws {
    while true {
      do {
        try await refresh()
      } catch let error as StoreError {
        if case .replaced = error { throw error }
      } catch {
        // The board keeps the failure; callers read it there.
      }
      try await clock.sleep(for: interval)
    }
  }

  /// Shows what the store holds now: all that was committed before this was called, when it
  /// returns.
  ///
  /// Many who ask at once share a reading.
  ///
  /// - Throws: `StoreError`; the board then shows what it had.
  /// - Complexity: O(l) rows read for l lists where anybody committed since the last reading, else
  ///   one question to the store.
  public func refresh() async throws {
    try await readings.next { try await self.look() }
  }

  private func look() async throws {
    // What is found later was there at this moment, or came after it.
    let time = service.now()
    do {
      let mark = try await service.store.stateMark()
      let isShown = state.withLock { state in
        guard state.mark == mark else { return false }
        state.lastReadAt = time
        state.failure = nil
        return true
      }
      if isShown { return }
      // Marked as it was before the reading: a commit in between is read again, and not missed.
      let (heads, tokens) = try await service.store.read { reader in
        (try reader.summaries(), try reader.tokens())
      }
      show(heads, tokens, mark: mark, time: time)
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  private func show(
    _ heads: [ListSummary], _ tokens: [TokenRecord], mark: StateMark, time: Timestamp
  ) {
    let woken = state.withLock { state in
      var woken = state.watchers.take(state.shown.show(heads))
      if state.tokens != tokens {
        let access = AccessList(tokens)
        (state.tokens, state.access) = (tokens, access)
        woken += state.watchers.take { caller in caller.map { !access.admits($0) } ?? false }
      }
      (state.mark, state.lastReadAt, state.failure) = (mark, time, nil)
      state.wakeCount += woken.count
      return woken
    }
    for watcher in woken { watcher.continuation.resume() }
  }

  // MARK: Looking at it

  /// All lists with their newest version, by name.
  ///
  /// - Complexity: O(1), without the store.
  public var heads: [ListSummary] { state.withLock { $0.shown.heads } }

  /// The newest version of a list; nil where there is no such list.
  ///
  /// - Complexity: O(1), without the store.
  public func head(of list: ListName) -> ListSummary? {
    state.withLock { $0.shown.change(of: list)?.head }
  }

  /// Who may ask for what.
  ///
  /// - Complexity: O(1), without the store.
  public var access: AccessList { state.withLock { $0.access } }

  /// The last moment of which is known that the store held what is shown; nil before the first
  /// reading.
  public var lastReadAt: Timestamp? { state.withLock { $0.lastReadAt } }

  /// Why the store could not be asked or read the last time; nil where it could.
  public var failure: (any Error)? { state.withLock { $0.failure } }

  /// How many wait for a change.
  package var watcherCount: Int { state.withLock { $0.watchers.count } }

  /// How often somebody who waited was woken by a change.
  package var wakeCount: Int { state.withLock { $0.wakeCount } }
}

// MARK: Waiting for a change

extension HeadBoard {
  /// What a watcher finds.
  enum Finding {
    case change(ShownHeads.Change)
    /// There is nothing after the change of this number.
    case nothing(after: Int)
    /// The caller may not see it, or not any more.
    case refused
  }

  /// The next change of a subject after a number, as a caller may see it; without a wait.
  func find(_ subject: HeadWatchers.Subject, after number: Int, for caller: Caller?) -> Finding {
    state.withLock { Self.find(subject, after: number, for: caller, in: $0) }
  }

  private static func find(
    _ subject: HeadWatchers.Subject, after number: Int, for caller: Caller?, in state: State
  ) -> Finding {
    if let caller, !state.access.admits(caller) { return .refused }
    switch subject {
    case .list(let list):
      if let caller, !caller.mayRead(list) { return .refused }
      guard let change = state.shown.change(of: list), change.number > number else {
        return .nothing(after: number)
      }
      return .change(change)
    case .all:
      let change = state.shown.next(after: number) { caller?.mayRead($0) ?? true }
      return change.map { .change($0) } ?? .nothing(after: state.shown.lastNumber)
    }
  }

  /// Waits until there may be something else to find than nothing after a number; returns at once
  /// where there is already, and when the task is cancelled.
  func waitForChange(
    of subject: HeadWatchers.Subject, after number: Int, for caller: Caller?
  ) async {
    let id = state.withLock { state in
      state.nextWatcherID += 1
      return state.nextWatcherID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          // A task that is cancelled after this is found among the watchers.
          guard !Task.isCancelled,
            case .nothing = Self.find(subject, after: number, for: caller, in: state)
          else { return false }
          state.watchers.add(.init(continuation: continuation, caller: caller), id: id, to: subject)
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.watchers.remove(id, from: subject) }?.continuation.resume()
    }
  }
}
