import Testing

@testable import ListModel

struct HexTests {
  @Test func everyByteRoundTripsThroughTwoDigits() {
    let bytes = Array(UInt8.min...UInt8.max)
    let text = Hex.encode(bytes)
    #expect(text.count == 512)
    #expect(Hex.decode(text) == bytes)
    #expect(Hex.decode(text.uppercased()) == bytes)
    #expect(Hex.encode([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    #expect(Hex.encode([]) == "")
    #expect(Hex.decode("") == [])
  }

  @Test(arguments: [
    "0", "abc", "0g", "g0", "/0", ":0", "@0", "`0", "0 ", " 0", "+1", "-1", "0x", "00\n", "é", "１",
    "aé", "\u{0}0",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Hex.decode(text) == nil)
  }
}
