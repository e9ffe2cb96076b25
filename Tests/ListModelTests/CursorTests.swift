import ListModel
import Testing

struct CursorTests {
  @Test func cursorIsTheVersionAndTheFirstTwelveDigitsOfItsChain() throws {
    let bytes: [UInt8] = [0x3F, 0x9A, 0x1C, 0x2B, 0x7D, 0x40] + Array(repeating: 0xFF, count: 26)
    let cursor = Cursor(version: Version(7), chain: try #require(Chain(bytes: bytes)))
    #expect(cursor.description == "7-3f9a1c2b7d40")
    #expect(Cursor("7-3f9a1c2b7d40") == cursor)
    #expect(Cursor("7-3F9A1C2B7D40") == cursor)
    #expect(Cursor("8-3f9a1c2b7d40") != cursor)
    #expect(Cursor("7-3f9a1c2b7d41") != cursor)
  }

  @Test func cursorRoundTripsThroughItsText() throws {
    for text in ["0-000000000000", "9223372036854775807-abcdef012345"] {
      #expect(Cursor(text)?.description == text)
    }
    #expect(Cursor("0-000000000000") == Cursor(version: .zero, chain: .zero))
    #expect(Cursor("12-abcdef012345")?.version == Version(12))
    #expect(Cursor("12-abcdef012345")?.chainPrefix == "abcdef012345")
  }

  @Test(arguments: [
    "", "7", "-", "7-", "-3f9a1c2b7d40", "7-3f9a1c2b7d4", "7-3f9a1c2b7d400", "7-3f9a1c2b7d4g",
    "7--3f9a1c2b7d40", "7-3f9a1c-2b7d40", "-7-3f9a1c2b7d40", "+7-3f9a1c2b7d40", " 7-3f9a1c2b7d40",
    "7-3f9a1c2b7d40 ", "7-3f9a1c2b7d40\n", "a-3f9a1c2b7d40", "7_3f9a1c2b7d40",
    "9223372036854775808-3f9a1c2b7d40", "٧-3f9a1c2b7d40",
    // Four full-width digits are twelve bytes.
    "7-１２３４", "7-\u{301}f9a1c2b7d40",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Cursor(text) == nil)
  }
}
