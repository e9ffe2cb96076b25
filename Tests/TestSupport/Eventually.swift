import Foundation

/// When a test that waits counts as hanging. A test may hold a thread that another one waits for,
/// so this is longer than all tests together take on a busy machine.
public enum Hang {
  public static let minutes = Campaign.isLong ? 240 : 20
  package static let seconds = Double(minutes) * 60
  package static let duration = Duration.seconds(seconds)
}

/// Thrown when a condition never became true.
package struct NeverHappened: Error, CustomStringConvertible {
  package let what: String
  /// What the condition threw when it was last tried; nil if it answered false.
  package var lastError: (any Error)?

  package var description: String {
    "never happened: \(what)" + (lastError.map { "; at the end: \($0)" } ?? "")
  }
}

/// Polls until a condition holds. Use it for effects of other tasks that give no signal.
///
/// A condition that throws does not hold yet: whatever it asks may not be there before its time.
/// Use no `#require` in it, which would record a failure at once.
///
/// - Throws: `NeverHappened` with the condition's last error, when the time is over or this task is
///   cancelled, as the time limit of a suite does.
package func eventually(
  _ what: String, within seconds: Double = Hang.seconds, _ condition: () async throws -> Bool
) async throws {
  let end = Date(timeIntervalSinceNow: seconds)
  while true {
    var missing = NeverHappened(what: what)
    do {
      if try await condition() { return }
    } catch {
      missing.lastError = error
    }
    guard Date() < end, !Task.isCancelled else { throw missing }
    // Ends early only if this task is cancelled, which the next round reports.
    try? await Task.sleep(for: .milliseconds(1))
  }
}

extension DispatchSemaphore {
  /// Waits on this thread for the signal of a task.
  ///
  /// - Returns: whether it came; false counts as hanging.
  package func isSignalled() -> Bool { wait(timeout: .now() + Hang.seconds) == .success }
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
