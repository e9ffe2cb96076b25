import Synchronization

/// Limits how many tasks run at a time. Waiting tasks run in the order of their arrival.
final class Turns: Sendable {
  private typealias Waiter = (number: Int, continuation: CheckedContinuation<Void, any Error>)

  private struct State {
    var free: Int
    var waiters: [Waiter] = []
    var lastNumber = 0
  }

  private let state: Mutex<State>

  /// - Parameter count: how many run at a time; 1 or more.
  init(count: Int) {
    precondition(count > 0, "no task could ever run")
    state = Mutex(State(free: count))
  }

  /// How many tasks wait for their turn.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Runs a body when it is its turn.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before its turn; what the body throws.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await wait()
    defer { endTurn() }
    return try await body()
  }

  private func wait() async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state -> Swift.Result<Void, any Error>? in
          // A later cancellation finds the task among the waiting ones.
          if Task.isCancelled { return .failure(CancellationError()) }
          guard state.free == 0 else {
            state.free -= 1
            return .success(())
          }
          state.waiters.append((number, continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  private func endTurn() {
    let next = state.withLock { state -> Waiter? in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.free += 1
      return nil
    }
    next?.continuation.resume()
  }
}
