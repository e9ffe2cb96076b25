import NIOConcurrencyHelpers
import SyncClient

/// The time limits of an exchange: for the response head, between two pieces of data, and in all.
final class ExchangeLimits: Sendable {
  private let idleSeconds: Double
  private let totalSeconds: Double
  private let waitSeconds: Double
  private let start = ContinuousClock.now
  /// The deadline for the next data, and the allowed time up to it.
  private let due: NIOLockedValueBox<(moment: ContinuousClock.Instant, seconds: Double)>

  /// - Parameter waitSeconds: the wait that the server was asked for, which is added to the limits.
  init(idleSeconds: Double, totalSeconds: Double, waitSeconds: Double) {
    self.idleSeconds = Self.measurable(idleSeconds)
    self.totalSeconds = Self.measurable(totalSeconds)
    self.waitSeconds = Self.measurable(waitSeconds)
    let seconds = self.waitSeconds + self.idleSeconds
    due = NIOLockedValueBox((start + .seconds(seconds), seconds))
  }

  /// A time that a clock can measure: 30 years in place of `.infinity`.
  private static func measurable(_ seconds: Double) -> Double { min(1e9, max(0, seconds)) }

  /// Begins the time for the next data.
  func recordProgress() {
    let next = ContinuousClock.now + .seconds(idleSeconds)
    due.withLockedValue { $0 = (next, idleSeconds) }
  }

  /// Runs a body within the limits.
  ///
  /// - Throws: errors of the body; `Unavailability` when a limit was exceeded.
  func enforce<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body() }
      group.addTask {
        try await self.waitUntilOutOfTime()
        return nil
      }
      guard let result = try await group.next(), let result else { throw CancellationError() }
      return result
    }
  }

  /// Waits until a limit is exceeded, and throws.
  private func waitUntilOutOfTime() async throws {
    let end = start + .seconds(waitSeconds + totalSeconds)
    while true {
      let (moment, seconds) = due.withLockedValue { $0 }
      if ContinuousClock.now >= end {
        let seconds = Self.text(waitSeconds + totalSeconds)
        throw Unavailability.network(reason: "the answer was not whole after \(seconds) s")
      }
      if ContinuousClock.now >= moment {
        let seconds = Self.text(seconds)
        throw Unavailability.network(reason: "nothing came from the server for \(seconds) s")
      }
      try await ContinuousClock().sleep(until: min(moment, end))
    }
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }
}
