import Foundation

/// Thrown when a condition never became true.
package struct NeverHappened: Error {
  package let what: String
}

/// Polls until a condition holds. Use it for effects of other tasks that give no signal.
///
/// - Parameter seconds: the time limit; far longer than the condition needs.
package func eventually(
  _ what: String, within seconds: Double = 120, _ condition: () async throws -> Bool
) async throws {
  let end = Date(timeIntervalSinceNow: seconds)
  while try await !condition() {
    guard Date() < end else { throw NeverHappened(what: what) }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Waits for a task that must end soon; cancels it if it does not.
package func ended<Value: Sendable>(
  _ what: String, _ task: Task<Value, Never>, within seconds: Double = 120
) async throws -> Value {
  let watch = Task {
    try await Task.sleep(for: .seconds(seconds))
    task.cancel()
  }
  let value = await task.value
  watch.cancel()
  if case .success = await watch.result { throw NeverHappened(what: what) }
  return value
}
