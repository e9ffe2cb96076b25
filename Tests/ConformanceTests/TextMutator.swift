import TestSupport

/// Changes texts a little: JSON by its parts, other texts by their characters.
struct TextMutator {
  private var random: SeededRandom
  private var tokens: [String: [String]] = [:]

  init(_ random: SeededRandom) { self.random = random }

  private static let values = [
    "null", "true", "0", "1", "2", "4", "-1", "-0", "0.0", "1.0", "5.0", "1e0", "0.5e1", "2.5",
    "120", #""""#, #""0""#, "[]", "{}", "[[]]", "9007199254740991", "9007199254740992", "1e16",
    "9223372036854775807", "9223372036854775808", "1e30", "1e400", "1e9999999999999999",
    String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
    String(repeating: "[", count: 510) + String(repeating: "]", count: 510), #""\ud800""#,
  ]
  private static let names = [
    "extra", "before", "after", "count", "previous", "author", "message", "version", "position",
    "index", "id", "content",
  ]
  /// Pieces that other languages take for spaces, line ends, digits or letters.
  private static let pieces = [
    "0", "1", "a", "F", " ", "+", "-", "=", "/", "\n", "\r", "\r\n", "\t", "\u{0}", "\u{7f}",
    "\u{85}", "\u{a0}", "\u{180e}", "\u{200b}", "\u{2028}", "\u{3000}", "\u{feff}", "\u{301}",
    "\u{660}", "\u{ff10}", "\u{2014}", "é", "e\u{301}", "😀", ".000Z", "+00:00",
  ]

  /// One to three parts of a JSON text are others.
  mutating func json(_ text: String) -> String {
    var tokens = self.tokens[text] ?? Self.tokens(text)
    self.tokens[text] = tokens
    for _ in 0..<random.element(of: [1, 1, 1, 2, 3]) { change(&tokens) }
    return tokens.joined()
  }

  private mutating func change(_ tokens: inout [String]) {
    // Most texts are hashes, which say little.
    let scalars = tokens.indices.filter { index in
      tokens[index].first.map { !"[]{},: \n".contains($0) } ?? false
        && (tokens[index].utf8.count != 66 || random.chance(9))
    }
    guard !scalars.isEmpty else { return }
    let place = random.element(of: scalars)
    let isName = place + 1 < tokens.count && tokens[place + 1] == ":"
    switch random.number(0...6) {
    case 0 where isName: tokens[place] = "\"\(random.element(of: Self.names))\""
    case 0: tokens[place] = random.element(of: Self.values)
    case 1 where isName:
      tokens[place...place] = [
        "\"\(random.element(of: Self.names))\"", ":", random.element(of: Self.values), ",",
        tokens[place],
      ]
    case 1: tokens[place...place] = [tokens[place], ",", tokens[place]]
    case 2: tokens.swapAt(place, random.element(of: scalars))
    case 3 where isName && place + 3 < tokens.count && tokens[place + 3] == ",":
      tokens.removeSubrange(place...place + 3)
    case 3 where place > 0 && tokens[place - 1] == ",": tokens.removeSubrange(place - 1...place)
    case 4: tokens[place] = number(tokens[place])
    default:
      let isText = tokens[place].hasPrefix("\"")
      let text = isText ? String(tokens[place].dropFirst().dropLast()) : tokens[place]
      tokens[place] = isText ? "\"\(self.text(text))\"" : self.text(text)
    }
  }

  /// Another spelling of a number, or another number.
  private mutating func number(_ text: String) -> String {
    guard let number = Int(text) else { return random.element(of: Self.values) }
    return random.element(of: [
      "\(number).0", "\(number)e0", "\(number)00e-2", "\(number &+ 1)", "\(number &- 1)",
      "\(number).5", "-\(number)", "0\(number)", "\"\(number)\"", "\(number &+ 1 << 53)",
      "\(number)0", " \(number)",
    ])
  }

  /// One piece of a text is another one, or is there twice, or not at all.
  mutating func text(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    let place = random.number(0...scalars.count)
    switch random.number(0...4) {
    case 0: scalars[place..<place] = Array(random.element(of: Self.pieces).unicodeScalars)[...]
    case 1 where place < scalars.count:
      scalars[place...place] = Array(random.element(of: Self.pieces).unicodeScalars)[...]
    case 2 where place < scalars.count: scalars.remove(at: place)
    case 3: return random.chance(2) ? text.uppercased() : text.lowercased()
    default: scalars.append(contentsOf: scalars[place...])
    }
    return String(String.UnicodeScalarView(scalars))
  }

  /// The strings, numbers, words and signs of a JSON text. Joined they are the text.
  private static func tokens(_ text: String) -> [String] {
    var tokens: [String] = []
    var (isInText, isEscaped) = (false, false)
    for character in text.unicodeScalars {
      let isSign = !isInText && "[]{},: \n\"".unicodeScalars.contains(character)
      let goesOn = tokens.last.map { !"[]{},: \n".contains($0) && !$0.hasSuffix("\"") } ?? false
      if isInText || !isSign && goesOn {
        tokens[tokens.count - 1].unicodeScalars.append(character)
      } else {
        tokens.append(String(character))
      }
      if isInText {
        isInText = isEscaped || character != "\""
        isEscaped = !isEscaped && character == "\\"
      } else {
        isInText = character == "\""
      }
    }
    return tokens
  }
}
