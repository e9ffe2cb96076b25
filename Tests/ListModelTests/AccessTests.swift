import ListModel
import TestSupport
import Testing

@Suite struct AccessTests {
  @Test(arguments: [
    ("parks", ["parks"]), ("team-*", ["team-", "team-a", "team-b"]),
    ("team-a*", ["team-a"]), ("*", ["Parks", "park", "parks", "team-", "team-a", "team-b"]),
    ("park*", ["park", "parks"]), ("Parks", ["Parks"]), ("nothing", []),
  ])
  func patternMatchesItsExactNameOrItsPrefix(text: String, names: [String]) throws {
    let pattern = try #require(ListPattern(text))
    let all = ["Parks", "park", "parks", "team-", "team-a", "team-b"]
    #expect(all.filter { pattern.matches(ListName($0)!) } == names)
    #expect(pattern.description == text)
  }

  /// A star may only end a pattern, after a prefix of a possible name.
  @Test(arguments: [
    "", "**", "a*b", "*a", "a**", "-*", ".*", "a b*", "é*", "parks\n", "a/*",
    String(repeating: "a", count: 101), String(repeating: "a", count: 101) + "*",
  ])
  func textWithAMisplacedStarOrAnInvalidPrefixIsNoPattern(text: String) {
    #expect(ListPattern(text) == nil)
  }

  @Test func longestNameAndLongestPrefixArePatterns() throws {
    let name = try #require(ListName(String(repeating: "a", count: 100)))
    for text in [name.text, name.text + "*"] {
      #expect(try #require(ListPattern(text)).matches(name))
    }
  }

  @Test func writeRightIncludesReadAndReadRightExcludesWrite() throws {
    let (parks, films) = (ListName("parks")!, ListName("films")!)
    for (granted, asked, isAllowed) in [
      (AccessRight.read, AccessRight.read, true), (.read, .write, false), (.write, .read, true),
      (.write, .write, true),
    ] {
      let grant = AccessGrant(granted, try #require(ListPattern("park*")))
      #expect(grant.allows(asked, to: parks) == isAllowed)
      #expect(!grant.allows(asked, to: films))
    }
  }

  @Test func grantsAreOrderedByListsAndThenReadBeforeWrite() throws {
    let texts = ["write b", "read b", "write a*", "read *"]
    let grants = try texts.map { text in
      let parts = text.split(separator: " ").map(String.init)
      return AccessGrant(
        try #require(AccessRight(rawValue: parts[0])), try #require(ListPattern(parts[1])))
    }
    #expect(grants.map(\.description) == texts)
    #expect(grants.sorted().map(\.description) == ["read *", "write a*", "read b", "write b"])
    for grant in grants { #expect(!(grant < grant)) }
  }

  @Test func tokenNameHasTheFormOfAListName() {
    for text in ["ci", "7", "_a.b-c", String(repeating: "a", count: 100)] {
      #expect(TokenName(text)?.text == text)
    }
    for text in ["", "a b", ".a", "-a", "é", String(repeating: "a", count: 101)] {
      #expect(TokenName(text) == nil)
    }
    #expect(["b", "B", "a"].map { TokenName($0)! }.sorted().map(\.text) == ["B", "a", "b"])
  }
}

@Suite struct TokenSecretTests {
  private static let allowed = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// Every bit of the bytes is random.
  @Test func secretIsItsPrefixAndThirtyTwoRandomBytes() {
    var random = SeededRandom.forThisRun()
    var seen = Set<String>()
    var characters = Set<Character>()
    for _ in 0..<500 {
      let text = TokenSecret.make(using: &random).text
      #expect(text.hasPrefix("lst_") && text.count == 4 + 43, "seed \(random.seed)")
      characters.formUnion(text.dropFirst(4))
      seen.insert(text)
    }
    #expect(characters == Self.allowed, "seed \(random.seed)")
    #expect(seen.count == 500, "seed \(random.seed)")
  }

  /// The same numbers, written by another program's base64url.
  @Test func secretBytesAreWrittenAsBase64URLOfRFC4648() {
    var counting = CountingGenerator()
    #expect(
      TokenSecret.make(using: &counting).text == "lst_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
  }

  /// A generator of the bytes 0, 1, 2, …
  private struct CountingGenerator: RandomNumberGenerator {
    private var number: UInt64 = 0
    mutating func next() -> UInt64 {
      defer { number += 1 }
      return number
    }
  }

  @Test func secretMatchesItsSHA256Only() throws {
    // The example of FIPS 180-4 for "abc".
    let bytes: [UInt8] = [
      0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22,
      0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00,
      0x15, 0xad,
    ]
    #expect(TokenSecret("abc").hash.bytes == bytes)
    #expect(TokenSecret("abc").matches(try #require(SecretHash(bytes: bytes))))
    for position in bytes.indices {
      var other = bytes
      other[position] ^= 1
      #expect(!TokenSecret("abc").matches(try #require(SecretHash(bytes: other))))
    }
    for count in [0, 31, 33] {
      #expect(SecretHash(bytes: Array(repeating: 0, count: count)) == nil)
    }
  }

  @Test func descriptionsOfASecretNeverRevealIt() {
    let secret = TokenSecret("lst_abcdefgh")
    var dumped = ""
    dump([secret], to: &dumped)
    for text in [
      "\(secret)", String(reflecting: secret), "\([secret])", String(describing: Optional(secret)),
      dumped,
    ] {
      #expect(!text.contains("abc"), "\(text)")
    }
  }
}
