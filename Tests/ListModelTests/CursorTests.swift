import ListModel
import Testing

struct CursorTests {
  private static let digits = "3f9a1c2b7d40" + String(repeating: "f", count: 20)

  @Test func cursorIsTheVersionAndTheFirst32DigitsOfItsChain() throws {
    let bytes: [UInt8] = [0x3F, 0x9A, 0x1C, 0x2B, 0x7D, 0x40] + Array(repeating: 0xFF, count: 26)
    let cursor = Cursor(version: Version(7), chain: try #require(Chain(bytes: bytes)))
    #expect(cursor.description == "7-\(Self.digits)")
    #expect(cursor.short == "7-3f9a1c2b7d40")
    #expect(Cursor("7-\(Self.digits)") == cursor)
    #expect(Cursor("7-\(Self.digits.uppercased())") == cursor)
    #expect(Cursor("8-\(Self.digits)") != cursor)
    #expect(Cursor("7-\(Self.digits.dropLast())e") != cursor)
  }

  @Test func cursorRoundTripsThroughItsText() throws {
    for number in ["0", "9223372036854775807"] {
      let text = number + "-" + String(repeating: "0", count: 32)
      #expect(Cursor(text)?.description == text)
    }
    #expect(
      Cursor("0-" + String(repeating: "0", count: 32)) == Cursor(version: .zero, chain: .zero))
    #expect(Cursor("12-\(Self.digits)")?.version == Version(12))
    #expect(Cursor("12-\(Self.digits)")?.chainPrefix == Self.digits)
  }

  @Test func personMayGiveEightDigitsOrMore() throws {
    let cursor = try #require(Cursor("7-\(Self.digits)"))
    for count in 0...33 {
      let text = "7-" + (Self.digits + "0").prefix(count)
      let given = Cursor(given: text)
      #expect((given != nil) == (8...32).contains(count), "\(count) digits")
      #expect(Cursor(text) == (count == 32 ? cursor : nil))
      #expect(given?.isFull == ((8...32).contains(count) ? count == 32 : nil))
      #expect(given?.names(cursor) != false)
    }
    #expect(try !#require(Cursor(given: "7-3f9a1c2c")).names(cursor))
    #expect(try !#require(Cursor(given: "8-3f9a1c2b")).names(cursor))
  }

  @Test(arguments: [
    "", "7", "-", "7-", "-3f9a1c2b7d40", "7-3f9a1c2", "7-3f9a1c2b7d4g", "7--3f9a1c2b7d40",
    "7-3f9a1c-2b7d40", "-7-3f9a1c2b7d40", "+7-3f9a1c2b7d40", " 7-3f9a1c2b7d40",
    "7-3f9a1c2b7d40 ", "7-3f9a1c2b7d40\n", "a-3f9a1c2b7d40", "7_3f9a1c2b7d40",
    "9223372036854775808-3f9a1c2b7d40", "٧-3f9a1c2b7d40",
    // Four full-width digits are twelve bytes.
    "7-１２３４", "7-\u{301}f9a1c2b7d40",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Cursor(given: text) == nil)
    #expect(Cursor(text) == nil)
  }
}
