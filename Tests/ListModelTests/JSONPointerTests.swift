import ListModel
import TestSupport
import Testing

struct JSONPointerTests {
  // RFC 6901, section 5.
  @Test(arguments: [
    ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]),
    ("/c%d", ["c%d"]), ("/e^f", ["e^f"]), ("/g|h", ["g|h"]), ("/i\\j", ["i\\j"]),
    ("/k\"l", ["k\"l"]), ("/ ", [" "]), ("/m~0n", ["m~n"]),
    // Edge cases: ~01 is ~1, not /; empty tokens count.
    ("/~01", ["~1"]), ("/~10", ["/0"]), ("/~0~1", ["~/"]), ("//", ["", ""]),
    ("/a//b/", ["a", "", "b", ""]),
    ("/\r\n/é", ["\r\n", "é"]),
  ])
  func textAndTokensGiveTheSamePointer(text: String, tokens: [String]) throws {
    let pointer = try #require(JSONPointer(text))
    #expect(pointer.tokens == tokens)
    #expect(pointer.description == text)
    #expect(JSONPointer(tokens: tokens) == pointer)
  }

  @Test(arguments: ["foo", " /foo", "/~", "/~2", "/a~", "/a~/b", "/~x", "~0", "#/foo", "/a/b~3"])
  func otherTextsAreRefused(text: String) {
    #expect(JSONPointer(text) == nil)
  }

  // A former fault: the slash and the mark after it are one Swift Character, so "/" was not seen.
  @Test func slashBeforeACombiningMarkIsASeparator() throws {
    let pointer = try #require(JSONPointer("/\u{301}a/\u{301}/b"))
    #expect(pointer.tokens.map { Array($0.utf8) } == [[0xCC, 0x81, 0x61], [0xCC, 0x81], [0x62]])
    #expect(pointer.description == "/\u{301}a/\u{301}/b")
    #expect(JSONPointer("/~0\u{301}")?.tokens == ["~\u{301}"])
    #expect(JSONPointer("/~\u{301}") == nil)
  }

  // A former fault: the two were equal, like their strings; but they name two members.
  @Test func composedAndDecomposedTokensAreTwoPointers() {
    let composed = JSONPointer(tokens: ["a", "\u{E9}"])
    let decomposed = JSONPointer(tokens: ["a", "e\u{301}"])
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
  }

  @Test func pointersDependOnTheBoundariesOfTokens() {
    #expect(JSONPointer(tokens: ["ab", "c"]) != JSONPointer(tokens: ["a", "bc"]))
    #expect(JSONPointer(tokens: [""]) != JSONPointer(tokens: []))
  }

  @Test func appendingAddsOneUnescapedToken() {
    let pointer = JSONPointer(tokens: ["a"]).appending("b/~c").appending("")
    #expect(pointer.tokens == ["a", "b/~c", ""])
    #expect(pointer.description == "/a/b~1~0c/")
  }

  @Test func randomTokensRoundTripThroughText() {
    var random = SeededRandom.forThisRun()
    let parts = ["/", "~", "0", "1", "a", "é", "\u{301}", "\r\n", ""]
    for _ in 0..<2_000 {
      let tokens = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        (0..<Int.random(in: 0...4, using: &random))
          .map { _ in parts.randomElement(using: &random)! }.joined()
      }
      let pointer = JSONPointer(tokens: tokens)
      #expect(JSONPointer(pointer.description) == pointer, "\(tokens), seed \(random.seed)")
    }
  }
}
