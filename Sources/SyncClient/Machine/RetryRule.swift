/// How long a replica waits before it tries again.
public struct RetryRule: Equatable, Sendable {
  /// The first wait; each one after another failure is twice as long.
  public var firstSeconds: Double
  /// No wait is longer, unless the server asks for more.
  public var highestSeconds: Double
  /// No wait that the server asks for (`Retry-After`) counts for more; where tries are limited, the
  /// replica gives up at once.
  public var highestRetryAfterSeconds: Double
  /// After how many tries in a row that failed the replica gives up; nil for never.
  public var tryLimit: Int?

  /// - Precondition: Seconds are above 0, and the first are no more than the highest; a limit is 1
  ///   or more.
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

  /// The wait after so many tries in a row that failed: between half and all of what doubling
  /// gives, so that clients which failed at the same moment do not come back at the same moment;
  /// and so much longer as the server asks for.
  ///
  /// - Parameters:
  ///   - failureCount: 1 or more.
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
