import ListModel
import Testing

struct ListNameTests {
  static let longest = String(repeating: "a", count: 100)

  @Test(arguments: ["a", "Z", "7", "_", "parks", "US.parks_2026-11", "a.", "a-", "0.9", longest])
  func validNamesRoundTripThroughText(text: String) {
    #expect(ListName(text)?.text == text)
    #expect(ListName(text)?.description == text)
  }

  @Test(arguments: [
    "", ".", "..", ".parks", "-parks", "a b", " a", "a\n", "a/b", "a@1", "a:b", "a~1", "é",
    "a\u{301}",
    "a\u{0}", "ａ", longest + "a",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(ListName(text) == nil)
  }

  @Test func onlyTheAllowedBytesAreAccepted() {
    let allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
    for byte in UInt8(0)..<0x80 {
      let character = Character(UnicodeScalar(byte))
      let isFirst = character != "." && character != "-"
      #expect((ListName("a\(character)") != nil) == allowed.contains(character), "byte \(byte)")
      #expect(
        (ListName("\(character)") != nil) == (allowed.contains(character) && isFirst),
        "byte \(byte)")
    }
  }
}
