import ListModel
import Testing

@testable import listsync

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

  /// A former fault: programs got escaped ids, which no item has.
  @Test(
    arguments: [
      ("a b", nil), ("می\u{200C}خواهم", nil), ("so\u{AD}ft\u{1F}\u{7}\u{2028}", nil),
      ("C:\\new", nil), ("a\\nb", nil), ("say \"hi\"", nil), ("", nil),
      ("a\nb", #""a\nb""#), ("a\r\nb\\", #""a\r\nb\\""#), (#""a\nb""#, #""\"a\\nb\"""#),
    ] as [(String, String?)])
  func idIsPrintableOnATerminalAndItsBytesElsewhere(_ text: String, _ quoted: String?) throws {
    let id = ItemID(text)
    #expect(Output.line(of: id, onTerminal: true) == Output.printable(text))
    let line = Output.line(of: id, onTerminal: false)
    #expect(line.utf8.elementsEqual((quoted ?? text).utf8), "\(line)")
    // A reader gets the id back.
    let read = line.hasPrefix("\"") ? ContentView(try Content(json: line)).scalarText : line
    #expect(read.map { ItemID($0) } == id)
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
