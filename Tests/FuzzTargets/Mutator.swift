/// Makes new inputs from old ones: flips, splices, cuts, copies, and inserts significant tokens.
public struct Mutator<Random: RandomNumberGenerator> {
  public var random: Random
  private let seeds: [[UInt8]]
  /// The longest input.
  private static var maximumByteCount: Int { 1 << 14 }

  /// - Precondition: There are seeds.
  public init(_ seeds: [[UInt8]], random: Random) {
    self.seeds = seeds
    self.random = random
  }

  /// A seed after one to eight mutations.
  public mutating func next() -> [UInt8] {
    var bytes = seeds[Int.random(in: seeds.indices, using: &random)]
    for _ in 0..<Int.random(in: 1...8, using: &random) { mutate(&bytes) }
    return Array(bytes.prefix(Self.maximumByteCount))
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: flip(&bytes)
    case 1: bytes.insert(contentsOf: token(), at: place(in: bytes))
    case 2: replace(&bytes, with: token())
    case 3: bytes.removeSubrange(range(in: bytes))
    case 4: bytes.insert(contentsOf: Array(bytes[range(in: bytes)]), at: place(in: bytes))
    case 5: bytes = Array(bytes.prefix(place(in: bytes)))
    case 6: splice(&bytes)
    case 7: setNumber(&bytes)
    case 8: swapRanges(&bytes)
    default: setByte(&bytes)
    }
  }

  private mutating func place(in bytes: [UInt8]) -> Int {
    Int.random(in: 0...bytes.count, using: &random)
  }

  private mutating func range(in bytes: [UInt8]) -> Range<Int> {
    let start = place(in: bytes)
    let longest = min(bytes.count - start, Bool.random(using: &random) ? 8 : 200)
    return start..<start + Int.random(in: 0...longest, using: &random)
  }

  private mutating func flip(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    bytes[Int.random(in: bytes.indices, using: &random)] ^=
      1 << UInt8.random(in: 0..<8, using: &random)
  }

  private mutating func setByte(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    bytes[place] = UInt8.random(in: 0...255, using: &random)
  }

  private mutating func replace(_ bytes: inout [UInt8], with token: [UInt8]) {
    let start = place(in: bytes)
    bytes.replaceSubrange(start..<min(bytes.count, start + token.count), with: token)
  }

  /// Joins a start of this seed and the end of another one.
  private mutating func splice(_ bytes: inout [UInt8]) {
    let other = seeds[Int.random(in: seeds.indices, using: &random)]
    bytes = Array(bytes.prefix(place(in: bytes))) + other.dropFirst(place(in: other))
  }

  private mutating func swapRanges(_ bytes: inout [UInt8]) {
    let (a, b) = (range(in: bytes), range(in: bytes))
    guard a.upperBound <= b.lowerBound else { return }
    bytes =
      Array(bytes[..<a.lowerBound] + bytes[b] + bytes[a.upperBound..<b.lowerBound])
      + Array(bytes[a]) + Array(bytes[b.upperBound...])
  }

  /// Replaces a number.
  private mutating func setNumber(_ bytes: inout [UInt8]) {
    let digits = bytes.indices.filter { (0x30...0x39).contains(bytes[$0]) }
    guard let start = digits.randomElement(using: &random) else { return }
    let end = bytes[start...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
    bytes.replaceSubrange(
      start..<end, with: Self.numbers.randomElement(using: &random).map { Array($0.utf8) } ?? [])
  }

  private mutating func token() -> [UInt8] {
    FuzzTokens.all[Int.random(in: FuzzTokens.all.indices, using: &random)]
  }

  private static var numbers: [String] { FuzzTokens.numbers }
}

/// Tokens that readers look for, and common causes of faults.
enum FuzzTokens {
  static let numbers = [
    "0", "1", "-1", "2147483648", "9223372036854775807", "9223372036854775808", "4294967296",
    "18446744073709551616", "1e999999999", "1e-999999999999999", "0.1", "1.00",
  ]

  static let all: [[UInt8]] =
    texts.map { Array($0.utf8) } + numbers.map { Array($0.utf8) } + bytes
    + [Array(repeating: UInt8(ascii: "["), count: 600)]

  private static let texts = [
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\n", "\r\n", "\t", "null", "true", "\"id\":",
    "\"id\":\"\"",
    "\"content\":", "\"from\":", "\"to\":", "\"count\":", "\"removed\":[]", "\"lines\":",
    "\"version\":",
    "\\u0000", "\\ud800", "\\udc00", "\\u00e9", "e\u{301}", "é", "😀", "\u{FEFF}", "\u{1F}", "\0",
    "\"\"", ",,,,", "T", "Z", "-", "~", "~1", "/", "|", "+14:00", "head~", "9999-12-31",
    "0001-01-01",
    #"{"a":1,"a":1}"#,
  ]

  private static let bytes: [[UInt8]] = [
    [0xEF, 0xBB, 0xBF], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0x80],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x01], [0x1F, 0x8B, 0x08, 0x00],
    [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02],
  ]
}
