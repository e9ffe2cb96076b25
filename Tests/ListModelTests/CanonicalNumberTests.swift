import Foundation
import ListModel
import TestSupport
import Testing

struct CanonicalNumberTests {
  // Computed with Python's decimal from the layout of RFC 8785, section 3.2.2.3.
  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("0e5", "0"), ("0.000e-7", "0"),
    ("-0E+999999999999999", "0"), ("0.00e-999999999999999", "0"),
    ("1", "1"), ("1.00", "1"), ("-1.0", "-1"), ("10", "10"), ("10.50", "10.5"), ("100e-2", "1"),
    ("1e0", "1"), ("1e00", "1"), ("1e+0", "1"), ("1e-0", "1"), ("5e-1", "0.5"),
    ("3.14159e2", "314.159"), ("0.1e0000000000000000000003", "100"), ("0.1", "0.1"),
    ("0.10", "0.1"),
    ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
    ("9007199254740993", "9007199254740993"), ("12345678901234567890", "12345678901234567890"),
    ("12345678901234567890.000", "12345678901234567890"),
    ("999999999999999999999", "999999999999999999999"), ("1e20", "100000000000000000000"),
    ("1e21", "1e+21"), ("1E+21", "1e+21"), ("-1e21", "-1e+21"),
    ("1000000000000000000000", "1e+21"),
    ("1234567890123456789012", "1.234567890123456789012e+21"),
    ("123456789012345678901234567890", "1.2345678901234567890123456789e+29"),
    ("123456789012345678901.5", "123456789012345678901.5"),
    ("1234567890123456789012.5", "1.2345678901234567890125e+21"),
    ("0.000001", "0.000001"), ("1e-6", "0.000001"), ("0.00000123", "0.00000123"),
    ("-0.0000015e1", "-0.000015"), ("0.0000001", "1e-7"), ("1E-7", "1e-7"), ("12e-8", "1.2e-7"),
    ("0.000000123", "1.23e-7"),
    ("1e999999", "1e+999999"), ("10e999998", "1e+999999"), ("1e-999999", "1e-999999"),
    ("1e999999999999999", "1e+999999999999999"), ("1e-999999999999999", "1e-999999999999999"),
  ])
  func everySpellingHasItsCanonicalForm(spelling: String, canonical: String) throws {
    #expect(try Content(json: spelling).description == canonical)
    #expect(try Content(json: canonical).description == canonical)
    #expect(Double(spelling) == Double(canonical))
  }

  @Test(arguments: [
    ("1e1000000000000000", 1), ("-1.5e-1000000000000000", 4), ("0e1000000000000000", 1),
    ("1e99999999999999999999999999", 1),
  ])
  func exponentsOfSixteenDigitsAreRefused(text: String, offset: Int) {
    #expect(throws: JSONError(offset: offset, reason: .exponentTooLarge)) {
      try Content(json: text)
    }
  }

  // A former fault: the canonical form of these was 1.2e+1000000000000000 and the like, which is
  // refused.
  @Test(arguments: [
    ("12e999999999999999", 2), ("100e999999999999998", 3), ("0.1e-999999999999999", 3),
    ("-0.01e-999999999999998", 5),
  ])
  func valuesWhoseCanonicalExponentHasSixteenDigitsAreRefused(text: String, offset: Int) {
    #expect(throws: JSONError(offset: offset, reason: .exponentTooLarge)) {
      try Content(json: text)
    }
  }

  @Test func exponentsThatShrinkInCanonicalFormAreAccepted() throws {
    #expect(try Content(json: "0.1e999999999999999").description == "1e+999999999999998")
    #expect(try Content(json: "10e-999999999999999").description == "1e-999999999999998")
  }

  @Test func canonicalFormKeepsTenThousandDigits() throws {
    let nines = String(repeating: "9", count: 9_999)
    #expect(try Content(json: "9" + nines).description == "9.\(nines)e+9999")
    #expect(try Content(json: "0." + nines).description == "0." + nines)
    let zeros = String(repeating: "0", count: 9_999)
    #expect(try Content(json: "1" + zeros).description == "1e+9999")
    #expect(try Content(json: "-7." + zeros).description == "-7")
    #expect(try Content(json: "0." + zeros + "7").description == "7e-10000")
    #expect(try Content(json: zeros.dropFirst(9_998) + "." + zeros + "e9").description == "0")
  }

  @Test func numbersHaveEqualFormsExactlyWhenTheirValuesAreEqual() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<5_000 {
      let number = RandomNumber(using: &random)
      let (a, b) = (number.spelling(using: &random), number.spelling(using: &random))
      let other = RandomNumber.near(number, using: &random)
      let canonical = try Content(json: a)
      #expect(try Content(json: b) == canonical, "\(a) and \(b), seed \(random.seed)")
      #expect(
        try (Content(json: other.spelling(using: &random)) == canonical) == (other == number),
        "\(a) and \(other), seed \(random.seed)")
      #expect(try Content(json: canonical.description) == canonical, "\(a), seed \(random.seed)")
    }
  }

  @Test func theCanonicalFormHasTheExactValueOfTheSpelling() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<5_000 {
      let spelling = RandomNumber(using: &random).spelling(using: &random)
      let canonical = try Content(json: spelling).description
      #expect(Double(canonical) == Double(spelling), "\(spelling), seed \(random.seed)")
      #expect(
        Decimal(string: canonical) == Decimal(string: spelling), "\(spelling), seed \(random.seed)")
    }
  }

  @Test func doublesRoundTripThroughTheCanonicalForm() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<5_000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      let canonical = try Content(json: "\(double)").description
      #expect(Double(canonical) == double, "\(double), seed \(random.seed)")
    }
  }
}
