/// Texts that differ only by Unicode normalisation: equal as Swift strings, different as bytes.
public enum Lookalikes {
  /// Letters with a mark, in one code point and in two; signs that stand for a letter; a Hangul
  /// syllable and its parts; marks in two orders.
  public static let pairs: [[String]] = [
    ["caf\u{E9}", "cafe\u{301}"], ["\u{C5}ngstr\u{F6}m", "\u{212B}ngstro\u{308}m"],
    ["\u{3A9}", "\u{2126}"], ["K", "\u{212A}"], ["\u{AC00}", "\u{1100}\u{1161}"],
    ["q\u{307}\u{323}", "q\u{323}\u{307}"], ["\u{1E69}", "s\u{323}\u{307}"],
  ]
}
