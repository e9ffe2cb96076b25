import ListModel
import Testing

struct JSONErrorTests {
  @Test(
    arguments: [
      (.expected("a digit", found: "\"x\""), "expected a digit, found \"x\""),
      (.cutOff(expected: "a digit"), "the input ends where a digit is expected: it was cut off"),
      (.notUTF8, "not UTF-8 at byte 7"),
      (.controlCharacter(0x1F), "control character U+001F in a string; it must be escaped"),
      (.loneSurrogate, "\\u escape of half a surrogate pair"),
      (.duplicateMember("a"), "member \"a\" stands twice in one object"),
      (.limit(ExceededLimit(.depth, bound: 512)), "nested deeper than 512"),
      (.exponentTooLarge, "a number whose exponent has more than 15 digits"),
    ] as [(JSONError.Reason, String)])
  func everyErrorSaysWhatIsWrong(reason: JSONError.Reason, text: String) {
    #expect(JSONError(offset: 7, reason: reason).description == text)
  }
}
