/// A day of the Gregorian calendar, also before its introduction (ISO 8601).
///
/// Days are counted in cycles of 400 years from 1 March of year 0, so that the leap day is the last
/// day of a year (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
struct CivilDate: Equatable {
  let year: Int
  let month: Int
  let day: Int

  private static let daysPerCycle = 146_097
  /// From 1 March of year 0 to 1 January 1970.
  private static let daysToEpoch = 719_468

  /// Nil when there is no such day.
  init?(year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    // 30 February has the same number as 2 March, and does not survive the way back.
    if CivilDate(daysSince1970: daysSince1970) != self { return nil }
  }

  init(daysSince1970: Int) {
    let days = (daysSince1970 + Self.daysToEpoch).flooredDivision(by: Self.daysPerCycle)
    let dayOfCycle = days.remainder
    let yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = days.quotient * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int {
    let years = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
    let yearOfCycle = years.remainder
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return years.quotient * Self.daysPerCycle + dayOfCycle - Self.daysToEpoch
  }
}

extension BinaryInteger {
  /// The quotient rounded down, so that the remainder is never negative.
  func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
