import ListModel
import Testing

/// Strings in texts and in canonical form (`JSONParser+Strings.swift`).
struct CanonicalStringTests {
  // By hand: quote, backslash and U+0000 to U+001F are escaped in the shortest form.
  @Test(arguments: [
    (#""\u0041\u00e9\u00E9\u2028""#, "\"Aéé\u{2028}\""), (#""\/\u002f""#, #""//""#),
    (#""\u0022\u005c""#, #""\"\\""#), (#""\u0008\u0009\u000a\u000C\u000d""#, #""\b\t\n\f\r""#),
    (#""\b\t\n\f\r\"\\""#, #""\b\t\n\f\r\"\\""#),
    (#""\u0000\u0001\u000b\u000E\u001f""#, #""\u0000\u0001\u000b\u000e\u001f""#),
    (#""\u0020\u007f""#, "\" \u{7F}\""), (#""\\u0041""#, #""\\u0041""#),
    // Surrogate pairs: the first, the last and one between them.
    (#""\ud800\udc00\uDBFF\uDFFF\uD83D\uDE00""#, "\"\u{10000}\u{10FFFF}😀\""),
    (#""\uD7FF\uE000\uFFFF""#, "\"\u{D7FF}\u{E000}\u{FFFF}\""),
    // A byte order mark inside a string is part of it.
    ("\"\u{FEFF}\"", "\"\u{FEFF}\""),
  ])
  func canonicalFormUsesTheShortestEscapes(text: String, canonical: String) throws {
    #expect(try Content(json: text).bytes == Array(canonical.utf8))
    #expect(try Content(json: canonical).bytes == Array(canonical.utf8))
  }

  @Test(arguments: [
    (#""\uD800""#, 1), (#""ab\uDFFF""#, 3), (#""\uDC00\uD800""#, 1), (#""\uD800\n""#, 1),
    (#""\uD800\uD800""#, 1), (#""\uD800\u0041""#, 1), (#""\uD83D\uDE00\uD83D""#, 13),
    (#""\uDBFFx""#, 1), (#""\uD800"#, 1), (#""\uD800\"#, 1),
    (#"{"\uDEAD":1}"#, 2),
  ])
  func loneSurrogatesAreRefused(text: String, offset: Int) {
    #expect(throws: JSONError(offset: offset, reason: .loneSurrogate)) { try Content(json: text) }
  }

  @Test func everyControlCharacterMustBeEscaped() {
    for byte in UInt8(0)..<0x20 {
      let text = "[\"a" + String(UnicodeScalar(byte)) + "\"]"
      #expect(throws: JSONError(offset: 3, reason: .controlCharacter(byte))) {
        try Content(json: text)
      }
    }
  }

  @Test func everyScalarReadsEquallyWithAndWithoutAnEscape() throws {
    for value in UInt32(0)...0x10FFFF where value < 0x3000 || value % 61 == 0 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let escape = String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
      let content = try Content(json: "\"\(escape)\"")
      #expect(ContentView(content).scalarText?.unicodeScalars.elementsEqual([scalar]) == true)
      guard value >= 0x20, scalar != "\"", scalar != "\\" else { continue }
      #expect(try Content(json: "\"\(scalar)\"") == content)
    }
  }

  @Test(arguments: ["", "plain", "\"\\/\u{0}\u{1F}\u{7F}\n", "é😀", "\\u0041"])
  func quotedTextsRoundTripThroughContent(text: String) throws {
    var quoted: [UInt8] = []
    CanonicalString.append(quoted: text, to: &quoted)
    let content = try Content(json: String(decoding: quoted, as: UTF8.self))
    #expect(content.bytes == quoted)
    #expect(ContentView(content).scalarText == text)
  }
}
