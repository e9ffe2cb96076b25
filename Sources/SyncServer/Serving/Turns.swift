import Synchronization

/// Limits how many tasks run at a time. Waiting tasks run in the order of their arrival.
final class Turns: Sendable {
  private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

  /// - Parameter count: how many run at a time; 1 or more.
  init(count: Int) {
    precondition(count > 0, "no task could ever run")
    state = Mutex((count, []))
  }

  /// Runs a body when it is its turn.
  func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
    defer {
      let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.free += 1
        return nil
      }
      next?.resume()
    }
    return try await body()
  }
}
