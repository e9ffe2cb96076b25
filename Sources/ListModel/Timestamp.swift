#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A moment in UTC, in milliseconds, from year 1 to 9999 of the Gregorian calendar, the range of
/// RFC 3339. Other moments become the nearest one in the range.
///
/// It is read and written with whole numbers only: `Date` counts in binary fractions of a second,
/// and its ISO 8601 style loses milliseconds, accepts 30 February and ignores text after a time.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// In ``millisecondRange``.
  public let millisecondsSince1970: Int64

  /// From the first millisecond of year 1 to the last one of year 9999.
  public static let millisecondRange: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// The moment, or the nearest within ``millisecondRange``.
  public init(millisecondsSince1970: Int64) {
    let range = Self.millisecondRange
    self.millisecondsSince1970 = min(max(millisecondsSince1970, range.lowerBound), range.upperBound)
  }

  /// The millisecond nearest to a date; the first one of the range for a date that is not a number.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    let limit = Double(Int64.max / 2)
    // In this order: `max` returns its first argument if the second one is not a number.
    self.init(millisecondsSince1970: Int64(min(max(-limit, milliseconds), limit)))
  }

  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    a.millisecondsSince1970 < b.millisecondsSince1970
  }

  /// RFC 3339 in UTC: `2026-11-21T11:37:00Z`, with milliseconds only where there are any.
  public var description: String {
    let (days, time) = millisecondsSince1970.flooredDivision(by: Self.millisecondsPerDay)
    let date = CivilDate(daysSince1970: Int(days))
    let (second, millisecond) = Int(time).quotientAndRemainder(dividingBy: 1000)
    let (minute, hour) = (second / 60 % 60, second / 3600)
    return Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-"
      + Self.padded(date.day, 2) + "T" + Self.padded(hour, 2) + ":" + Self.padded(minute, 2) + ":"
      + Self.padded(second % 60, 2) + (millisecond == 0 ? "" : "." + Self.padded(millisecond, 3))
      + "Z"
  }

  private static func padded(_ number: Int, _ digitCount: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
  }
}

extension Timestamp {
  static let millisecondsPerDay: Int64 = 86_400_000

  /// A date or a time, as a person writes it.
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

    /// The last millisecond.
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
  ///
  /// Digits below the millisecond are dropped. A leap second is the first second of the next day,
  /// as in Unix time.
  ///
  /// - Parameters:
  ///   - text: the time as it is written.
  ///   - allowsBasicOffset: whether an offset may also lack its colon, as `+0200` of the program
  ///     `date`. Documents never do.
  public static func read(_ text: String, allowsBasicOffset: Bool = false) -> Written? {
    var reader = TimestampReader(text)
    guard let dayNumber = reader.readDay() else { return nil }
    let day = Int64(dayNumber) * millisecondsPerDay
    if reader.isAtEnd { return .day(Timestamp(millisecondsSince1970: day)) }
    guard let time = reader.readTime(), let offset = reader.readOffset(allowsBasicOffset),
      reader.isAtEnd
    else {
      return nil
    }
    let moment = day + time.milliseconds - offset
    guard millisecondRange.contains(moment),
      !time.isLeapSecond || moment.flooredDivision(by: millisecondsPerDay).remainder < 1000
    else { return nil }
    return .moment(Timestamp(millisecondsSince1970: moment))
  }
}

/// Reads the fields of a time from a text (RFC 3339, section 5.6).
private struct TimestampReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  var isAtEnd: Bool { rest.isEmpty }

  /// The days since 1970 of `YYYY-MM-DD`, year 1 or later.
  mutating func readDay() -> Int? {
    guard let year = readNumber(digitCount: 4), year > 0, skip("-"),
      let month = readNumber(digitCount: 2), skip("-"), let day = readNumber(digitCount: 2)
    else { return nil }
    return CivilDate(year: year, month: month, day: day)?.daysSince1970
  }

  /// `THH:MM:SS` and a fraction, as milliseconds since midnight.
  mutating func readTime() -> (milliseconds: Int64, isLeapSecond: Bool)? {
    guard skip("T") || skip("t"), let hour = readNumber(digitCount: 2), hour < 24, skip(":"),
      let minute = readNumber(digitCount: 2), minute < 60, skip(":"),
      let second = readNumber(digitCount: 2), second <= 60, let fraction = readFraction()
    else { return nil }
    return (Int64((hour * 3600 + minute * 60 + second) * 1000 + fraction), second == 60)
  }

  /// `Z`, or `+HH:MM` ahead of UTC, in milliseconds; `+HHMM` if that is allowed.
  mutating func readOffset(_ allowsBasicOffset: Bool) -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let isBehind = skip("-")
    guard isBehind || skip("+"), let hours = readNumber(digitCount: 2), hours < 24,
      skip(":") || allowsBasicOffset, let minutes = readNumber(digitCount: 2), minutes < 60
    else { return nil }
    return Int64((hours * 60 + minutes) * 60_000) * (isBehind ? -1 : 1)
  }

  /// The whole milliseconds of `.` and digits; 0 where there is no point.
  private mutating func readFraction() -> Int? {
    guard skip(".") else { return 0 }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty else { return nil }
    rest = rest.dropFirst(digits.count)
    return (digits.prefix(3) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func readNumber(digitCount: Int) -> Int? {
    let digits = rest.prefix(digitCount)
    guard digits.count == digitCount, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    rest = rest.dropFirst(digitCount)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest.removeFirst()
    return true
  }
}
