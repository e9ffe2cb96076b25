import ListModel
import ListStore
import Synchronization

/// Waiting for a change.
extension HeadCache {
  /// The next change of a subject after a number, without waiting.
  func find(
    _ subject: HeadWatchers.Subject, after number: Int, for caller: Caller?
  ) -> HeadCacheState.Finding {
    state.withLock { $0.find(subject, after: number, for: caller) }
  }

  /// Waits until there may be a change of a subject after a number, and it is the caller's turn.
  /// Returns at once when the caller may not read the subject, or the task is cancelled.
  func waitForTurn(
    of subject: HeadWatchers.Subject, after number: Int, for caller: Caller?
  ) async {
    let id = state.withLock { state in
      state.nextWatcherID += 1
      return state.nextWatcherID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          // A later cancellation finds the task among the watchers.
          guard !Task.isCancelled else { return false }
          let hasNews: Bool
          switch state.find(subject, after: number, for: caller) {
          case .ended: return false
          case .change: hasNews = true
          // A list may be gone.
          case .nothing: hasNews = subject == .all && state.lastNumber(for: caller) > number
          }
          state.watchers.add(
            .init(continuation: continuation, subject: subject, caller: caller), id: id,
            hasNews: hasNews)
          return true
        }
        if !waits { continuation.resume() }
        giveTurns()
      }
    } onCancel: {
      state.withLock { $0.watchers.remove(id) }?.continuation.resume()
    }
  }

  /// Gives some watchers with news their turns. The others get theirs after a rest, in which
  /// commits and other requests find a free processor, however many watch.
  func giveTurns() {
    let (turns, mustRest) = state.withLock { state in
      let turns = state.watchers.takeTurns(state.turnsLeft)
      state.turnsLeft -= turns.count
      state.wakeCount += turns.count
      let mustRest = !turns.isEmpty && !state.isResting
      if mustRest { state.isResting = true }
      return (turns, mustRest)
    }
    for watcher in turns { watcher.continuation.resume() }
    guard mustRest else { return }
    Task {
      await rest()
      state.withLock { ($0.isResting, $0.turnsLeft) = (false, Self.turnCount) }
      giveTurns()
    }
  }

  /// How many watchers get a turn before a rest.
  package static let turnCount = 16
}
