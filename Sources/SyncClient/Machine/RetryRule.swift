/// The rule for the wait before another try.
public struct RetryRule: Equatable, Sendable {
  /// The first wait. It doubles after each further failure.
  public var firstSeconds: Double
  /// The longest wait, unless the server asks for more.
  public var highestSeconds: Double
  /// The longest wait that the server may ask for (`Retry-After`). If it asks for more, the replica
  /// waits this long; with limited tries, it gives up at once.
  public var highestRetryAfterSeconds: Double
  /// The number of consecutive failures after which the replica gives up; nil for never.
  public var tryLimit: Int?

  /// - Precondition: All seconds are above 0, the first are no more than the highest, and a limit
  ///   is 1 or more.
  public init(
    firstSeconds: Double = 0.5, highestSeconds: Double = 60,
    highestRetryAfterSeconds: Double = 3600, tryLimit: Int? = nil
  ) {
    precondition(firstSeconds > 0 && firstSeconds <= highestSeconds && highestRetryAfterSeconds > 0)
    precondition(tryLimit.map { $0 >= 1 } ?? true)
    self.firstSeconds = firstSeconds
    self.highestSeconds = highestSeconds
    self.highestRetryAfterSeconds = highestRetryAfterSeconds
    self.tryLimit = tryLimit
  }

  /// The wait after a number of consecutive failures: a random share, between half and all, of the
  /// doubled wait, plus the wait that the server asks for. So clients that failed together do not
  /// return together.
  ///
  /// - Parameters:
  ///   - failureCount: 1 or more.
  ///   - retryAfterSeconds: the wait that the server asks for.
  ///   - random: from 0 up to, not including, 1.
  public func seconds(
    after failureCount: Int, retryAfterSeconds: Double?, random: Double
  ) -> Double {
    let doublings = min(max(failureCount, 1) - 1, 30)
    let full = min(highestSeconds, firstSeconds * Double(1 << doublings))
    let asked = min(max(retryAfterSeconds ?? 0, 0), highestRetryAfterSeconds)
    return asked + full * (0.5 + random / 2)
  }
}
