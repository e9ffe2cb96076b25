#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A moment in UTC, to the millisecond, from year 1 to 9999.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) {
    self.millisecondsSince1970 = millisecondsSince1970
  }

  public init(_ date: Date) {
    millisecondsSince1970 = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.millisecondsSince1970 < b.millisecondsSince1970
  }

  private var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

  /// RFC 3339 in UTC: `2026-11-21T11:37:00Z`, with milliseconds only where there are any.
  public var description: String {
    let hasFraction = millisecondsSince1970 % 1000 != 0
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
  }
}

extension Timestamp {
  static let millisecondsPerDay: Int64 = 86_400_000

  /// What a person means by a date or a time.
  public enum Written: Equatable, Sendable {
    /// `2026-11-21`: a whole day in UTC, given by its first moment.
    case day(Timestamp)
    /// `2026-11-21T11:37:00Z`, or with an offset such as `+01:00`: one moment.
    case moment(Timestamp)

    public var start: Timestamp {
      switch self {
      case .day(let start): start
      case .moment(let moment): moment
      }
    }

    /// The last millisecond that is meant.
    public var end: Timestamp {
      switch self {
      case .day(let start):
        Timestamp(
          millisecondsSince1970: start.millisecondsSince1970 + Timestamp.millisecondsPerDay - 1)
      case .moment(let moment): moment
      }
    }
  }

  /// Reads a day (`YYYY-MM-DD`) or an RFC 3339 time; nil when the text is neither.
  public static func read(_ text: String) -> Written? {
    if text.utf8.count == 10, let day = try? Date(text + "T00:00:00Z", strategy: .iso8601),
      Timestamp(day).description.hasPrefix(text)
    {
      return .day(Timestamp(day))
    }
    let hasFraction = text.contains(".")
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
    guard text.utf8.count >= 20, let moment = try? Date(text, strategy: style) else { return nil }
    return .moment(Timestamp(moment))
  }
}
