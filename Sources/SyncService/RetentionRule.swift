import ListModel

/// The rule for which versions of a list are kept. A version is kept if one of the conditions
/// holds.
public struct RetentionRule: Hashable, Sendable, CustomStringConvertible {
  /// Keep this number of the newest versions.
  public let keepLast: Int?
  /// Keep every version that was the newest one at some moment of this period: a client that caught
  /// up in it can catch up again, and the list can be shown at any moment of it.
  public let keepWithin: RetentionPeriod?
  /// Whether versions are pruned by age although the clock may have leapt: after a pause longer
  /// than `keepWithin`, up to now or up to the first version that it keeps.
  public let trustsDates: Bool

  /// Nil when there is no condition, or a count below 1.
  public init?(
    keepLast: Int? = nil, keepWithin: RetentionPeriod? = nil, trustsDates: Bool = false
  ) {
    guard keepLast != nil || keepWithin != nil, keepLast ?? 1 >= 1 else { return nil }
    self.keepLast = keepLast
    self.keepWithin = keepWithin
    self.trustsDates = trustsDates
  }

  /// As the command line has it: `keep-last 10, keep-within 30d`.
  public var description: String {
    [
      keepLast.map { "keep-last \($0)" }, keepWithin.map { "keep-within \($0)" },
      trustsDates ? "trust-dates" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
  }
}

/// A length of time as people write it: `12h`, `30d`, `8w`, `1y`. A day is 24 hours, a week 7 days
/// and a year 365 days.
public struct RetentionPeriod: Hashable, Sendable, CustomStringConvertible {
  public static let forms = "12h, 30d, 8w or 1y (hours, days of 24 hours, weeks, years of 365 days)"

  public let description: String
  public let milliseconds: Int64

  /// Nil when the text is not a whole number from 1 and a unit, or is longer than 10,000 years.
  public init?(_ text: String) {
    guard let unit = text.last.flatMap({ Self.hours[$0] }),
      let count = Version(text: text.dropLast()),
      count > .zero
    else { return nil }
    let (milliseconds, overflows) = Int64(count.number).multipliedReportingOverflow(
      by: unit * 3_600_000)
    guard !overflows, milliseconds <= Self.longestMilliseconds else { return nil }
    self.milliseconds = milliseconds
    description = "\(count)\(text.suffix(1))"
  }

  /// Ten thousand years: more than dates can express.
  private static let longestMilliseconds: Int64 = 10_000 * 365 * 86_400_000

  private static let hours: [Character: Int64] = ["h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24]
}
