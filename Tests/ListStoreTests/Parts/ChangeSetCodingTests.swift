import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListStore

@Suite struct ChangeSetCodingTests {
  /// Lists that share ids, in different orders and with different contents.
  private static func list(_ random: inout SeededRandom) throws -> [Item] {
    let ids = ["", "a", "b\u{0}", "\u{E9}", "e\u{301}", "zion", String(repeating: "x", count: 300)]
    return try ids.shuffled(using: &random).prefix(.random(in: 0...7, using: &random)).map { id in
      let number = Int.random(in: 0...2, using: &random)
      return Item(id: ItemID(id), content: try Content(json: #"{"n":\#(number),"t":"é"}"#))
    }
  }

  private static func changes(_ random: inout SeededRandom) throws -> ChangeSet<Item> {
    try list(&random).changes(to: list(&random))
  }

  private func isRefused(_ bytes: [UInt8]) -> Bool {
    do {
      _ = try ChangeSetCoding.decode(bytes)
      return false
    } catch {
      return true
    }
  }

  @Test func randomChangesRoundTripWithTheIDsOfTheirMoves() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<2000 {
      let changes = try Self.changes(&random)
      let decoded = try ChangeSetCoding.decode(ChangeSetCoding.encode(changes))
      #expect(decoded == changes, "seed \(random.seed)")
      // Moves are equal when their indexes are.
      #expect(decoded.moved.map(\.id) == changes.moved.map(\.id), "seed \(random.seed)")
    }
  }

  @Test func everyPrefixIsRefused() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<6 {
      let bytes = ChangeSetCoding.encode(try Self.changes(&random))
      for length in 0..<bytes.count { #expect(isRefused(Array(bytes.prefix(length)))) }
      #expect(isRefused(bytes + [0]))
    }
  }

  /// Bytes that break a rule: counts that are absurd, indexes that are no
  /// index, and changes that do not add up.
  @Test(
    arguments: [
      [], [1], [2, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0],
      [1, 0, 1, 0, 0, 0, 0], [1, 1, 0, 1, 1, 0, 0, 0, 0, 0], [1, 2, 2, 0, 1, 0, 5, 0, 0, 0],
      [1, 0, 0] + huge + [0, 0, 0], [1, 0, 0, 0] + huge, [1, 0, 0, 0, 0] + huge,
      [1, 0, 0, 0, 0, 0] + huge, [1, 1, 0, 1, 0] + huge + [0, 0, 0, 0, 0],
      [1] + huge + [0, 0, 0, 0, 0], [1, 0] + huge + [0, 0, 0, 0],
      [1] + huge + huge + [0, 0, 1, 0, 0, 0, 0], [1] + huge + [0, 0, 0, 1, 0, 0, 0, 0],
      [1] + Array(repeating: 0xFF, count: 9) + [1, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func encodingThatBreaksARuleIsRefused(_ bytes: [UInt8]) {
    #expect(isRefused(bytes), "\(bytes)")
  }

  /// 2⁶³ - 1.
  private static let huge: [UInt8] = Array(repeating: 0xFF, count: 8) + [0x7F]

  @Test func emptyChangesOfHugeListsDecodeWithoutAllocation() throws {
    // 2³² - 1, the most items that a list can have.
    let most: [UInt8] = Array(repeating: 0xFF, count: 4) + [0x0F]
    let changes = try ChangeSetCoding.decode([1] + most + most + [0, 0, 0, 0])
    #expect(changes.isEmpty && changes.oldCount == 1 << 32 - 1)
    #expect(isRefused([1] + Self.huge + Self.huge + [0, 0, 0, 0]))
  }
}
