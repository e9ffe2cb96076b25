import Foundation
import ListModel
import TestSupport
import Testing

struct TimestampTests {
  // Milliseconds computed with Python's datetime.
  @Test(arguments: [
    ("2026-11-21T11:37:00Z", 1_795_261_020_000), ("2026-11-21T11:37:00+01:00", 1_795_257_420_000),
    ("2026-11-21T11:37:00-05:30", 1_795_280_820_000),
    ("2026-11-21T11:37:00-00:00", 1_795_261_020_000), ("2026-11-21t11:37:00z", 1_795_261_020_000),
    ("2026-11-21T11:37:00.5Z", 1_795_261_020_500), ("2026-11-21T11:37:00.123Z", 1_795_261_020_123),
    // Digits past the millisecond are dropped.
    ("2026-11-21T11:37:00.123999999999999999999Z", 1_795_261_020_123),
    ("2026-11-21T11:37:00.000+00:00", 1_795_261_020_000),
    ("1872-03-01T00:00:00Z", -3_087_417_600_000), ("1872-03-01T00:00:00.001Z", -3_087_417_599_999),
    ("2038-01-19T03:14:08Z", 2_147_483_648_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("1969-12-31T23:59:59.999Z", -1),
    ("1582-10-10T00:00:00Z", -12_219_724_800_000), ("1900-03-01T00:00:00Z", -2_203_891_200_000),
    ("2000-02-29T00:00:00Z", 951_782_400_000), ("2024-02-29T12:00:00Z", 1_709_208_000_000),
    // The leap second at the end of 2016 is the first second of 2017.
    ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2017-01-01T00:59:60.5+01:00", 1_483_228_800_500),
  ])
  func timesOfRFC3339AreReadAsMoments(text: String, milliseconds: Int64) {
    let moment = Timestamp(millisecondsSince1970: milliseconds)
    #expect(Timestamp.read(text) == .moment(moment))
    #expect(Timestamp.read(text)?.start == moment)
    #expect(Timestamp.read(text)?.end == moment)
  }

  // First milliseconds computed with Python's datetime; a day has 86,400,000 of them.
  @Test(arguments: [
    ("2026-11-21", 1_795_219_200_000), ("1872-03-01", -3_087_417_600_000),
    ("2024-02-29", 1_709_164_800_000), ("0001-01-01", -62_135_596_800_000),
    ("9999-12-31", 253_402_214_400_000),
  ])
  func dateWithoutATimeIsAWholeDayInUTC(text: String, milliseconds: Int64) {
    let written = Timestamp.read(text)
    #expect(written == .day(Timestamp(millisecondsSince1970: milliseconds)))
    #expect(written?.start.millisecondsSince1970 == milliseconds)
    #expect(written?.end.millisecondsSince1970 == milliseconds + 86_399_999)
  }

  @Test(arguments: [
    "", "yesterday", "2026", "2026-11", "2026-13-01", "2026-00-10", "2026-11-00", "2026-11-31",
    "2026-02-30", "2025-02-29", "1900-02-29", "0000-01-01", "2026-1-1", "2026-11-1", "26-11-21",
    "2026/11/21", "20261121", " 2026-11-21", "2026-11-21 ", "2026-11-21T", "-026-11-21",
    "12026-11-21", "２026-1-1", "2026-11-21T11:37", "2026-11-21T11:37Z", "2026-11-21T11:37:00",
    "2026-11-21 11:37:00Z", "2026-11-21T11:37:00.Z", "2026-11-21T11:37:00,5Z",
    "2026-11-21T11:37:00+0100", "2026-11-21T11:37:00+01", "2026-11-21T11:37:00+1:00",
    "2026-11-21T11:37:00+24:00", "2026-11-21T11:37:00+01:60", "2026-11-21T11:60:00Z",
    "2026-11-21T11:37:60Z", "2026-11-21T11:37:61Z", "2026-11-21T+1:37:00Z",
    "2026-W47-6T11:37:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.999-00:01",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Timestamp.read(text) == nil)
  }

  @Test func offsetOfTheProgramDateIsReadOnlyWhereItIsAllowed() {
    let text = "2026-11-21T11:37:00+0100"
    #expect(Timestamp.read(text) == nil)
    let rfc3339 = Timestamp.read("2026-11-21T11:37:00+01:00")
    #expect(rfc3339 != nil && Timestamp.read(text, allowsBasicOffset: true) == rfc3339)
    for text in ["2026-11-21T11:37:00+01", "2026-11-21T11:37:00+010", "2026-11-21T11:37:00+2400"] {
      #expect(Timestamp.read(text, allowsBasicOffset: true) == nil)
    }
  }

  // A former fault: these were read as 2 March, as the next day, and only up to the Z.
  @Test(arguments: [
    "2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T25:00:00Z",
    "2026-11-21T11:37:00Zgarbage", "2026-11-21T11:37:00Z ", "2026-11-21T11:37:00Z\n",
    "2026-1-1T0:0:00000000Z", "12026-11-21T11:37:00Z", "2026-11-21T11:37:00GMT+1",
  ])
  func invalidTimesThatFoundationCorrectsAreRefused(text: String) {
    #expect(Timestamp.read(text) == nil)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.001Z"),
    (1_795_261_020_000, "2026-11-21T11:37:00Z"), (2_147_483_648_000, "2038-01-19T03:14:08Z"),
    (-3_087_417_600_000, "1872-03-01T00:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
    // A former fault: Date's binary fractions made these a millisecond less.
    (1_795_261_020_123, "2026-11-21T11:37:00.123Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (-3_087_417_599_999, "1872-03-01T00:00:00.001Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    // A former fault: days before 1582 were counted by the Julian calendar, 3 January here.
    (-62_135_596_800_000, "0001-01-01T00:00:00Z"),
  ])
  func momentsAreWrittenInUTC(milliseconds: Int64, text: String) {
    #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
  }

  @Test func momentsRoundTripThroughTheirText() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<5_000 {
      let number = Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
      let isWhole = Bool.random(using: &random)
      let moment = Timestamp(
        millisecondsSince1970: isWhole ? number - number % 1000 : number)
      let text = moment.description
      #expect(text.utf8.count == 20 || text.utf8.count == 24, "\(text), seed \(random.seed)")
      #expect(Timestamp.read(text) == .moment(moment), "\(text), seed \(random.seed)")
      #expect(Timestamp.read(text)?.start.description == text, "seed \(random.seed)")
    }
  }

  @Test func daysOfFourCenturiesAreWrittenLikeThoseOfFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    // From 1 January 1800; every eleventh day passes through all months, also of leap centuries.
    for day in stride(from: Int64(-62_091), to: 84_006, by: 11) {
      let moment = Timestamp(millisecondsSince1970: day * 86_400_000)
      let date = Date(timeIntervalSince1970: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let (year, month, number) = try (
        #require(parts.year), #require(parts.month), #require(parts.day)
      )
      let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(number < 10 ? "0" : "")\(number)"
      #expect(moment.description == text + "T00:00:00Z")
      #expect(Timestamp.read(text) == .day(moment))
    }
  }

  @Test func timeOutsideTheWritableYearsBecomesTheNearestWritableMoment() {
    let (first, last) = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z")
    let range = Timestamp.millisecondRange
    for (milliseconds, text) in [
      (Int64.min, first), (range.lowerBound - 1, first), (range.upperBound + 1, last),
      (Int64.max, last),
    ] {
      let moment = Timestamp(millisecondsSince1970: milliseconds)
      #expect(moment.description == text)
      #expect(Timestamp.read(text) == .moment(moment))
    }
    for (seconds, text) in [
      (-1e300, first), (-.infinity, first), (1e300, last), (.infinity, last), (.nan, first),
    ] {
      #expect(Timestamp(Date(timeIntervalSince1970: seconds)).description == text)
    }
  }

  @Test func dateIsRoundedToTheNearestMillisecond() {
    for milliseconds in Int64(1_795_261_020_000)..<1_795_261_021_000 {
      let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      #expect(Timestamp(date).millisecondsSince1970 == milliseconds)
    }
    #expect(Timestamp(Date(timeIntervalSince1970: -0.001)).millisecondsSince1970 == -1)
  }

  @Test func momentsAreOrderedByTime() {
    let (early, late) = (Timestamp(millisecondsSince1970: -2), Timestamp(millisecondsSince1970: 1))
    #expect(early < late)
    #expect(!(late < early))
    #expect(!(late < late))
  }
}
