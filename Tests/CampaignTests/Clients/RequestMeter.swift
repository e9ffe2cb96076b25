import ListModel
import SyncClient

/// Counts one client's requests, and judges their rate by the answers.
struct RequestMeter {
  /// The number of requests a minute that may fail.
  private static let freePerMinute = 60
  /// The number of further requests for each version reached, and for each new beginning.
  private static let freePerEvent = 3

  private let rule: RetryRule
  private var sent: [Double] = []
  private var events: [Double] = []
  private var reached: [Cursor: Double] = [:]
  /// Failures in a row.
  private(set) var failureCount = 0
  /// The client may not send a request before this moment.
  private var earliest = 0.0
  private(set) var highestPerMinute = 0

  init(_ rule: RetryRule) { self.rule = rule }

  /// Records that a process began, or that its user made it try again.
  mutating func begin(at now: Double) {
    (failureCount, earliest) = (0, 0)
    events.append(now)
  }

  mutating func reach(_ cursor: Cursor, at now: Double) {
    // Returning to a recent version is no progress.
    if let last = reached[cursor], now - last < 60 { return }
    reached[cursor] = now
    events.append(now)
  }

  mutating func fail(retryAfterSeconds: Double, at now: Double) {
    failureCount += 1
    let doubled = rule.firstSeconds * Double(1 << min(failureCount - 1, 20))
    earliest =
      now + min(doubled, rule.highestSeconds) / 2
      + min(retryAfterSeconds, rule.highestRetryAfterSeconds)
  }

  mutating func succeed() { (failureCount, earliest) = (0, 0) }

  /// - Throws: `Violation` when the request comes too early, or exceeds the limit.
  mutating func send(at now: Double) throws {
    try require(
      now > earliest - 1e-6,
      "asks \(earliest - now) s early after \(failureCount) failures in a row")
    sent.append(now)
    sent.removeAll { $0 < now - 60 }
    events.removeAll { $0 < now - 60 }
    highestPerMinute = max(highestPerMinute, sent.count)
    let limit = Self.freePerMinute + Self.freePerEvent * events.count
    try require(
      sent.count <= limit, "asks \(sent.count) times in a minute; \(limit) would be many")
  }
}
