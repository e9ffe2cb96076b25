import Foundation

/// Thrown when something did not come about.
package struct NeverHappened: Error {
  package let what: String
}

/// Waits until a condition holds, looking again and again; for what other tasks bring about, and
/// where nothing tells of it.
///
/// - Parameter seconds: after which it is given up; far more than it takes.
package func eventually(
  _ what: String, within seconds: Double = 30, _ condition: () async throws -> Bool
) async throws {
  let end = Date(timeIntervalSinceNow: seconds)
  while try await !condition() {
    guard Date() < end else { throw NeverHappened(what: what) }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Waits for the end of a task that is to end soon; one that does not is cancelled.
package func ended<Value: Sendable>(
  _ what: String, _ task: Task<Value, Never>, within seconds: Double = 30
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
