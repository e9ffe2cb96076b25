import SyncClient
import Synchronization

/// A network and a clock controlled by a test: requests and waits last until the test ends them.
final class HeldNetwork: ReplicaTransport {
  struct Broken: Error {}

  private struct State {
    var requests: [Int: Pending] = [:]
    var sleepers: [Int: CheckedContinuation<Void, Never>] = [:]
    var sleeperCount = 0
    var seconds = 0.0
  }

  private struct Pending {
    let request: ReplicaRequest
    let continuation: CheckedContinuation<ReplicaResponse, any Error>
  }

  private let state = Mutex(State())

  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let pending = Pending(request: request, continuation: continuation)
        let isCancelled = state.withLock { state in
          // Read once: the task may be cancelled from one look to the next.
          if Task.isCancelled { return true }
          state.requests[request.number] = pending
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      end(request.number, nil)
    }
  }

  var clock: ReplicaClock {
    ReplicaClock {
      self.state.withLock { $0.seconds }
    } sleep: { _ in
      await self.sleep()
    } random: {
      0.5
    }
  }

  private func sleep() async {
    let number = state.withLock { state in
      state.sleeperCount += 1
      return state.sleeperCount
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state in
          if Task.isCancelled { return true }
          state.sleepers[number] = continuation
          return false
        }
        if isCancelled { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.resume()
    }
  }

  func holds(_ request: ReplicaRequest) -> Bool {
    state.withLock { $0.requests[request.number] != nil }
  }

  var isAsleep: Bool { state.withLock { !$0.sleepers.isEmpty } }

  /// Ends a request with its answer; nil means a broken connection.
  func end(_ number: Int, _ response: ReplicaResponse?) {
    let pending = state.withLock { state in
      state.seconds += 0.1
      return state.requests.removeValue(forKey: number)
    }
    if let response {
      pending?.continuation.resume(returning: response)
    } else {
      pending?.continuation.resume(throwing: Broken())
    }
  }

  /// Ends all waits.
  func wake() {
    let sleepers = state.withLock { state in
      state.seconds += 60
      defer { state.sleepers = [:] }
      return state.sleepers.values.map(\.self)
    }
    for sleeper in sleepers { sleeper.resume() }
  }
}
