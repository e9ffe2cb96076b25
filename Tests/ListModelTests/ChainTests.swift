import ListModel
import Testing

/// The expected chains were computed with Python's hashlib from the grammar in the doc comment of
/// Chain.
struct ChainTests {
  private static func chain(author: String?, message: String?) throws -> Chain {
    let previous = try #require(Chain(bytes: (UInt8(0)..<32).map { $0 }))
    let root = try #require(Root(bytes: (UInt8(100)..<132).map { $0 }))
    let time = Timestamp(millisecondsSince1970: 1_795_261_020_123)
    return previous.extended(
      to: Version(7), root: root, note: CommitNote(time: time, author: author, message: message))
  }

  @Test(arguments: [
    (nil, nil, "cee4cc3bf0a6398713682be8eb0dca7a5e41f53302e4772d7b1629f3b5c9e285"),
    ("", nil, "befe2efceeed21e78dc113a26ec3a592386f91658d809cdce2f5af11dae8890b"),
    (nil, "", "dbd1871c4798ac421506b61b470a7f566ce3ddcf1bb9df181335698bc3019e51"),
    ("", "", "f056c75f824fc2790c97a60d65173a2b254d7ab56b6c41f01fbdfb509725b5c8"),
    ("ann", "why", "d5d8bf3f98dea5a3b102d45f171a90128fda64324115122a69297f936a07da99"),
    ("annw", "hy", "b270c8b6fd2941b5d6a6db883ac8ccfdfa83e8cb51789eeee4e1edf00040745f"),
  ])
  func versionHasTheChainOfTheGrammar(author: String?, message: String?, hex: String) throws {
    #expect(try Self.chain(author: author, message: message).hex == hex)
  }

  @Test func firstVersionBefore1970HasTheChainOfTheGrammar() throws {
    let chain = Chain.zero.extended(
      to: Version(1), root: .empty,
      note: CommitNote(time: Timestamp(millisecondsSince1970: -1)))
    #expect(chain.hex == "ddd12685dabaaae056215738c6425725582414993ee097b3377c926eb0ffb301")
  }

  @Test func everyInputChangesTheChain() throws {
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 5), author: "a", message: "m")
    let one = try #require(Root("01" + String(repeating: "0", count: 62)))
    let later = CommitNote(time: Timestamp(millisecondsSince1970: 6), author: "a", message: "m")
    let first = Chain.zero.extended(to: Version(1), root: .empty, note: note)
    let chains = [
      first, first.extended(to: Version(1), root: .empty, note: note),
      Chain.zero.extended(to: Version(2), root: .empty, note: note),
      Chain.zero.extended(to: Version(1), root: one, note: note),
      Chain.zero.extended(to: Version(1), root: .empty, note: later),
    ]
    #expect(Set(chains).count == chains.count)
  }

  @Test func chainRoundTripsThrough32BytesOnly() {
    let bytes = (UInt8(0)..<32).map { $0 }
    #expect(Chain(bytes: bytes)?.bytes == bytes)
    #expect(
      Chain(bytes: bytes)?.description
        == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
    #expect(Chain(bytes: Array(repeating: 0, count: 32)) == .zero)
    #expect(Chain(bytes: Array(bytes.dropLast())) == nil)
    #expect(Chain(bytes: bytes + [0]) == nil)
  }

  @Test func chainRoundTripsThrough64HexDigitsOnly() throws {
    let chain = try #require(Chain(bytes: (UInt8(100)..<132).map { $0 }))
    #expect(Chain(chain.hex) == chain)
    #expect(Chain(chain.hex.uppercased()) == chain)
    #expect(Chain(String(chain.hex.dropLast(2))) == nil)
    #expect(Chain(chain.hex.dropLast() + "g") == nil)
  }
}
