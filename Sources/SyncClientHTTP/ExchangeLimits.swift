import NIOConcurrencyHelpers
import SyncClient

/// How long an exchange may take: until something comes, between one thing and the next, and in
/// all.
final class ExchangeLimits: Sendable {
  private let idleSeconds: Double
  private let totalSeconds: Double
  private let waitSeconds: Double
  private let start = ContinuousClock.now
  /// When the next thing must have come, and how long that is after the last.
  private let due: NIOLockedValueBox<(moment: ContinuousClock.Instant, seconds: Double)>

  /// - Parameter waitSeconds: how long the server was asked to wait, which counts for nothing.
  init(idleSeconds: Double, totalSeconds: Double, waitSeconds: Double) {
    self.idleSeconds = idleSeconds
    self.totalSeconds = totalSeconds
    self.waitSeconds = waitSeconds
    let seconds = waitSeconds + idleSeconds
    due = NIOLockedValueBox((start + .seconds(seconds), seconds))
  }

  /// Something has come: the time for the next thing begins.
  func noteProgress() {
    let next = ContinuousClock.now + .seconds(idleSeconds)
    due.withLockedValue { $0 = (next, idleSeconds) }
  }

  /// Runs a body until it ends, or is out of time.
  ///
  /// - Throws: what the body throws; `Unavailability` when it was cancelled for taking too long.
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

  /// Waits until there is no time left, and throws.
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
