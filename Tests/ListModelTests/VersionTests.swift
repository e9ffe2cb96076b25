import ListModel
import Testing

struct VersionTests {
  @Test func versionsCountUpFromZero() {
    #expect(Version.zero.number == 0)
    #expect(Version.zero.next == Version(1))
    #expect(Version(41).next.description == "42")
    #expect(Version(9) < Version(10))
    #expect(!(Version(10) < Version(10)))
  }

  @Test(arguments: [("0", 0), ("7", 7), ("007", 7), ("9223372036854775807", Int.max)])
  func decimalDigitsAreReadAsAVersion(text: String, number: Int) {
    #expect(Version(text: text)?.number == number)
    #expect(Version(text: "<\(text)>".dropFirst().dropLast())?.number == number)
  }

  @Test(arguments: [
    "", "-1", "+1", "-0", " 1", "1 ", "1.0", "1e3", "0x1", "1_000", "９", "٧", "9223372036854775808",
    "99999999999999999999", "head",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Version(text: text) == nil)
  }
}
