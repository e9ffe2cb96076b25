import ListChanges
import ListModel
import Testing

/// The expected chains were computed with Python's hashlib from the grammar in the doc comment of
/// Chain.
struct ChainTests {
  private static func item(_ id: ItemID, _ json: String) throws -> Item {
    Item(id: id, content: try Content(json: json))
  }

  /// The step from a, b, c, d to d, b, c with new content, é: a change of every kind.
  private static func step() throws -> ChangeSet<Item> {
    try ChangeSet(
      oldCount: 4, newCount: 4, removed: [.init(from: 0, element: item("a", "0"))],
      moved: [.init(from: 3, to: 0, id: "d")],
      inserted: [.init(to: 3, element: item("\u{E9}", #"{"a":1}"#))],
      updated: [.init(from: 2, to: 2, old: item("c", "0"), new: item("c", #""new""#))])
  }

  private static func chain(author: String?, message: String?) throws -> Chain {
    let previous = try #require(Chain(bytes: (UInt8(0)..<32).map { $0 }))
    let checksum = try #require(Checksum(bytes: (UInt8(100)..<116).map { $0 }))
    let time = Timestamp(millisecondsSince1970: 1_795_261_020_123)
    return try previous.extended(
      by: step(), to: Version(7), checksum: checksum,
      note: CommitNote(time: time, author: author, message: message))
  }

  @Test(arguments: [
    (nil, nil, "1bd653e6fc2de71b0b3eb37dd81b8c0c43f217cce976457bdba2506df5ffc54e"),
    ("", nil, "088024f94d81acd222f75030dd4ed60bfa1ddb458a4047c4502da00648752965"),
    (nil, "", "8676dd3ea272af73b0e254dfaa6adfcd0a7a87387e5b45278a8ca46f367d4bcc"),
    ("", "", "a0628431b3c403d5afc265ec6759bd13aced2b38a2b581edad341cb38d139172"),
    ("ann", "why", "9fa06a0c1ecbee5defd419ab1a351a040b7f4b055cf3588dcc9d941c7d4fceb6"),
    ("annw", "hy", "e5002e1491be3c94f8ea26ec13b409e2fe4e3a36d0ad0c9b85cbdf354aa05720"),
  ])
  func stepWithEveryChangeKindHasTheChainOfTheGrammar(
    author: String?, message: String?, hex: String
  ) throws {
    #expect(try Self.chain(author: author, message: message).hex == hex)
  }

  @Test func emptyStepBefore1970HasTheChainOfTheGrammar() throws {
    let step = Snapshot.empty.changes(to: .empty)
    let chain = Chain.zero.extended(
      by: step, to: Version(1), checksum: .zero,
      note: CommitNote(time: Timestamp(millisecondsSince1970: -1)))
    #expect(chain.hex == "7f667706e34cfc9700b4375b6eeb36ac2e9f2a18d969c229b95abd6530c9fc44")
  }

  // 182,920 bytes in all: more than one hash update.
  @Test func stepLargerThanTheHashBufferHasTheChainOfTheGrammar() throws {
    let items = try (0..<5_000).map { try Self.item(ItemID("item-\($0)"), "\($0)") }
    let chain = Chain.zero.extended(
      by: Snapshot.empty.changes(to: try Snapshot(items)), to: Version(1), checksum: .zero,
      note: CommitNote(time: Timestamp(millisecondsSince1970: 0)))
    #expect(chain.hex == "c6a36018c8d1742ad20fab37bcbaed6929a6a655578936c6efa81c6f27cea81f")
  }

  @Test func everyInputChangesTheChain() throws {
    let step = try Self.step()
    let note = CommitNote(time: Timestamp(millisecondsSince1970: 5), author: "a", message: "m")
    let one = try #require(Checksum("01" + String(repeating: "0", count: 30)))
    let later = CommitNote(time: Timestamp(millisecondsSince1970: 6), author: "a", message: "m")
    let first = Chain.zero.extended(by: step, to: Version(1), checksum: .zero, note: note)
    let chains = [
      first, first.extended(by: step, to: Version(1), checksum: .zero, note: note),
      Chain.zero.extended(by: step, to: Version(2), checksum: .zero, note: note),
      Chain.zero.extended(by: step, to: Version(1), checksum: one, note: note),
      Chain.zero.extended(by: step, to: Version(1), checksum: .zero, note: later),
      Chain.zero.extended(
        by: Snapshot.empty.changes(to: .empty), to: Version(1), checksum: .zero, note: note),
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
