import Synchronization

/// Lets a few at a time through, in the order in which they came.
final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// - Parameter count: how many go at a time; 1 or more.
  init(count: Int) {
    precondition(count > 0, "nobody would ever have a turn")
    state = Mutex(State(free: count))
  }

  /// Runs a body when it is its turn.
  func take<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await withCheckedContinuation { continuation in
      let goes = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if goes { continuation.resume() }
    }
    defer { pass() }
    return try await body()
  }

  /// Gives the turn to who has waited longest.
  private func pass() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
