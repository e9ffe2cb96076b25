import SyncClient

/// The time limits of an exchange: for the response head, between two pieces of data, and in all.
struct ExchangeLimits {
  private let idleSeconds: Double
  private let totalSeconds: Double
  private let end: ContinuousClock.Instant
  /// The deadline for the next data, and the allowed time up to it.
  private var due: (moment: ContinuousClock.Instant, seconds: Double)

  /// - Parameter waitSeconds: the wait that the server was asked for, which is added to the limits.
  init(
    idleSeconds: Double, totalSeconds: Double, waitSeconds: Double,
    start: ContinuousClock.Instant = .now
  ) {
    let waitSeconds = Self.measurable(waitSeconds)
    self.idleSeconds = Self.measurable(idleSeconds)
    self.totalSeconds = Self.measurable(totalSeconds) + waitSeconds
    end = start + .seconds(self.totalSeconds)
    let seconds = waitSeconds + self.idleSeconds
    due = (start + .seconds(seconds), seconds)
  }

  /// A time that a clock can measure: 30 years in place of `.infinity`.
  private static func measurable(_ seconds: Double) -> Double { min(1e9, max(0, seconds)) }

  /// The moment at which a limit is exceeded, if nothing comes until then.
  var deadline: ContinuousClock.Instant { min(due.moment, end) }

  /// Begins the time for the next data.
  mutating func recordProgress(at now: ContinuousClock.Instant = .now) {
    due = (now + .seconds(idleSeconds), idleSeconds)
  }

  /// The reason why an exchange has to end; nil before the deadline.
  func excess(at now: ContinuousClock.Instant) -> Unavailability? {
    if now >= end {
      return .network(reason: "the answer was not whole after \(Self.text(totalSeconds)) s")
    }
    guard now >= due.moment else { return nil }
    return .network(reason: "nothing came from the server for \(Self.text(due.seconds)) s")
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }
}
