import Testing

@testable import ListModel

struct CivilDateTests {
  @Test func dayNumbersAreConsecutiveForFourCenturies() throws {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    // 1 January 1600 is 135,140 days before 1970: 370 years of 365 days and 90 leap days.
    var number = -135_140
    for year in 1600..<2000 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for month in 1...12 {
        let length = lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)
        for day in 1...length {
          let date = CivilDate(year: year, month: month, day: day)
          #expect(date?.daysSince1970 == number)
          #expect(date == CivilDate(daysSince1970: number))
          number += 1
        }
        #expect(CivilDate(year: year, month: month, day: length + 1) == nil)
      }
    }
  }

  @Test(arguments: [(2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32), (2026, -1, 1)])
  func numbersOutOfRangeAreNotADate(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [(7, 3, 2, 1), (-7, 3, -3, 2), (-6, 3, -2, 0), (0, 3, 0, 0)])
  func flooredDivisionHasNoNegativeRemainder(
    number: Int, divisor: Int, quotient: Int, remainder: Int
  ) {
    #expect(number.flooredDivision(by: divisor) == (quotient, remainder))
  }
}
