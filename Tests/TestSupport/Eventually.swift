import Foundation

/// When a test that waits counts as hanging. A test may hold a thread that another one waits for,
/// so this is longer than all tests together take on a busy machine.
public enum Hang {
  public static let minutes = Campaign.isLong ? 240 : 20
  static let seconds = Double(minutes) * 60
}

/// Thrown when a condition never became true.
package struct NeverHappened: Error {
  package let what: String
}

/// Polls until a condition holds. Use it for effects of other tasks that give no signal.
package func eventually(
  _ what: String, within seconds: Double = Hang.seconds, _ condition: () async throws -> Bool
) async throws {
  let end = Date(timeIntervalSinceNow: seconds)
  while try await !condition() {
    guard Date() < end else { throw NeverHappened(what: what) }
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Waits for a task that must end soon; cancels it if it does not.
package func ended<Value: Sendable>(
  _ what: String, _ task: Task<Value, Never>, within seconds: Double = Hang.seconds
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
