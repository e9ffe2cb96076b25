import Testing

@testable import Terminal

struct PrintableTests {
  @Test func controlAndInvisibleCharactersAreEscaped() {
    let hidden: [Unicode.Scalar] = [
      "\u{0}", "\u{7}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{34F}", "\u{61C}", "\u{115F}",
      "\u{180E}", "\u{200B}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}",
      "\u{202A}", "\u{202D}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{3164}",
      "\u{FEFF}", "\u{FFF9}", "\u{E0001}", "\u{E0041}",
    ]
    for scalar in hidden {
      let hex = String(scalar.value, radix: 16)
      #expect(Output.printable("a\(Character(scalar))b") == "a\\u{\(hex)}b", "\(hex)")
    }
    #expect(Output.printable("a\nb\u{1F}c") == "a\\nb / c")
  }

  @Test func visibleCharactersAreNotEscaped() {
    for text in [
      "plain ~ text", "é", "e\u{301}", "日本語", "עברית", "العربية", "❤\u{FE0F}", "👍🏽", "🇫🇷", "\u{A0}",
      "\u{E000}",
    ] {
      #expect(Output.printable(text).unicodeScalars.elementsEqual(text.unicodeScalars), "\(text)")
    }
  }
}
