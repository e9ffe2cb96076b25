import Synchronization

/// Limits how many tasks run at a time. Waiting tasks run in the order of their arrival.
package final class AsyncSemaphore: Sendable {
  private typealias Waiter = (number: Int, continuation: CheckedContinuation<Void, any Error>)

  private struct State {
    var freeCount: Int
    var waiters: [Waiter] = []
    var lastNumber = 0

    mutating func takeFree() -> Bool {
      guard freeCount > 0 else { return false }
      freeCount -= 1
      return true
    }
  }

  private let state: Mutex<State>

  /// - Parameter count: how many tasks run at a time; 1 or more.
  package init(count: Int) {
    precondition(count > 0, "no task could ever run")
    state = Mutex(State(freeCount: count))
  }

  package var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Runs a body as soon as fewer tasks than the limit run.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits; what the body throws.
  package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await wait()
    defer { signal() }
    return try await body()
  }

  /// Runs a body if fewer tasks than the limit run now; otherwise returns nil.
  package func runIfFree<Result>(_ body: () async throws -> Result) async rethrows -> Result? {
    guard state.withLock({ $0.takeFree() }) else { return nil }
    defer { signal() }
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
          if state.takeFree() { return .success(()) }
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

  private func signal() {
    let next = state.withLock { state -> Waiter? in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.freeCount += 1
      return nil
    }
    next?.continuation.resume()
  }
}
