/// A JSON value without a spelling, for laws over random values.
indirect enum RandomJSON: Sendable {
  case null
  case boolean(Bool)
  case number(RandomNumber)
  case string(String)
  case array([RandomJSON])
  /// All names differ, even by the canonical equivalence that Foundation's dictionaries use.
  case object([(name: String, value: RandomJSON)])

  init(depth: Int = 4, using random: inout some RandomNumberGenerator) {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
    case 0: self = .null
    case 1: self = .boolean(.random(using: &random))
    case 2: self = .number(RandomNumber(using: &random))
    case 3, 4: self = .string(Self.text(using: &random))
    case 5, 6:
      let count = Int.random(in: 0...4, using: &random)
      self = .array((0..<count).map { _ in RandomJSON(depth: depth - 1, using: &random) })
    default:
      var names: Set<String> = []
      for _ in 0..<Int.random(in: 0...6, using: &random) { names.insert(Self.text(using: &random)) }
      self = .object(
        names.sorted().map { ($0, RandomJSON(depth: depth - 1, using: &random)) })
    }
  }

  private static let scalars: [Unicode.Scalar] =
    Array("aAbz01 /~.,:{}[]\"\\\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}".unicodeScalars)
    + Array("\u{80}é\u{301}ß\u{7FF}\u{800}\u{2028}\u{D7FF}\u{E000}\u{FEFF}\u{FFFF}".unicodeScalars)
    + Array("\u{10000}😀\u{10FFFF}".unicodeScalars)

  private static func text(using random: inout some RandomNumberGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      text.append(scalars.randomElement(using: &random)!)
    }
    return String(text)
  }

  /// A random JSON spelling: white space, order of members, escapes, numbers.
  func spelling(using random: inout some RandomNumberGenerator) -> String {
    let space = Self.space(using: &random)
    switch self {
    case .null: return space + "null"
    case .boolean(let value): return space + "\(value)"
    case .number(let number): return space + number.spelling(using: &random)
    case .string(let text): return space + Self.quoted(text, using: &random)
    case .array(let elements):
      let texts = elements.map { $0.spelling(using: &random) + Self.space(using: &random) }
      return space + "[" + texts.joined(separator: ",") + (texts.isEmpty ? space : "") + "]"
    case .object(let members):
      let texts = members.shuffled(using: &random).map { member in
        Self.space(using: &random) + Self.quoted(member.name, using: &random)
          + Self.space(using: &random) + ":" + member.value.spelling(using: &random)
          + Self.space(using: &random)
      }
      return space + "{" + texts.joined(separator: ",") + (texts.isEmpty ? space : "") + "}"
    }
  }

  private static func space(using random: inout some RandomNumberGenerator) -> String {
    let count = max(0, Int.random(in: -3...2, using: &random))
    return (0..<count).map { _ in [" ", "\n", "\r", "\t"].randomElement(using: &random)! }.joined()
  }

  private static func quoted(
    _ text: String, using random: inout some RandomNumberGenerator
  ) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      if !mustEscape, Int.random(in: 0..<3, using: &random) > 0 {
        result.unicodeScalars.append(scalar)
      } else if let short = shortEscapes[scalar], .random(using: &random) {
        result += short
      } else {
        let isUppercase = Bool.random(using: &random)
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: isUppercase)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return result + "\""
  }

  private static let shortEscapes: [Unicode.Scalar: String] = [
    "\"": "\\\"", "\\": "\\\\", "/": "\\/", "\u{8}": "\\b", "\u{C}": "\\f", "\n": "\\n",
    "\r": "\\r", "\t": "\\t",
  ]
}
