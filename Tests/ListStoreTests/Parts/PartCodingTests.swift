import TestSupport
import Testing

@testable import ListStore

@Suite struct PartCodingTests {
  private func decode(
    _ bytes: [UInt8], of list: ListKey = .parks, upTo limit: Int = .max
  ) throws -> [StoredItem] {
    var items: [StoredItem] = []
    try PartCoding.decode(bytes, of: list, upTo: limit, into: &items)
    return items
  }

  private func isRefused(_ bytes: [UInt8]) -> Bool {
    do {
      _ = try decode(bytes)
      return false
    } catch {
      return true
    }
  }

  /// All lists of up to four items from five sequences, each with its own content or another.
  @Test func everySmallListRoundTripsThroughParts() throws {
    let sequences: [Int64] = [1, 2, 3, 7, ListKey.largestSequence]
    let choices = sequences.flatMap { item in
      [StoredItem(item), StoredItem(item, content: 1), StoredItem(item, content: 5)]
    }
    var lists: [[StoredItem]] = [[]]
    for _ in 1...4 {
      lists = lists.flatMap { list in
        choices.compactMap { choice in
          list.contains { $0.id == choice.id } ? nil : list + [choice]
        }
      }
      for list in lists { #expect(try decode(PartCoding.encode(list[...])) == list) }
    }
  }

  @Test func randomListsRoundTripThroughParts() throws {
    var random = SeededRandom.forThisRun()
    for count in [1, 2, 5, 63, 64, 65, 127, 128, 1000, 2047, 2048] {
      for _ in 0..<8 {
        let items = StoredItem.random(&random, count: count)
        #expect(try decode(PartCoding.encode(items[...])) == items, "seed \(random.seed)")
      }
    }
  }

  @Test func itemsOfAnyListKeyRoundTripThroughParts() throws {
    for number in [1, 2, 77, Int64(1) << 30] {
      let list = ListKey(rawValue: number)
      let items = [StoredItem(4, of: list), StoredItem(9, content: 2, of: list)]
      #expect(try decode(PartCoding.encode(items[...]), of: list) == items)
    }
  }

  @Test func listInInsertionOrderTakesAFewBytes() {
    let items = (1...2048).map { StoredItem($0) }
    #expect(PartCoding.encode(items[...]).count <= 20)
  }

  @Test func consecutivePartsDecodeToTheirItemsInOrder() throws {
    var random = SeededRandom.forThisRun()
    let items = StoredItem.random(&random, count: 700)
    let cuts = [0, 1, 2, 300, 700]
    let bytes = zip(cuts, cuts.dropFirst()).flatMap { PartCoding.encode(items[$0..<$1]) }
    #expect(try decode(bytes) == items, "seed \(random.seed)")
    #expect(try decode([]) == [])
    #expect(try decode(bytes, upTo: 700) == items, "seed \(random.seed)")
    #expect(throws: StoreError.self) { try decode(bytes, upTo: 699) }
  }

  @Test func everyPrefixIsRefused() {
    var random = SeededRandom.forThisRun()
    for count in [1, 3, 40] {
      let bytes = PartCoding.encode(StoredItem.random(&random, count: count)[...])
      for length in 1..<bytes.count { #expect(isRefused(Array(bytes.prefix(length)))) }
      #expect(isRefused(bytes + [0]))
      #expect(isRefused([0] + bytes))
    }
  }

  /// Bytes that break a rule.
  @Test(
    arguments: [
      [2, 1, 2, 1, 1, 0], [1, 0], [1, 0, 0, 0], [1, 1], [1, 1, 2], [1, 1, 2, 1],
      // No item by that number: 0, -1, and past the last.
      [1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 1, 0], [1, 1, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 1, 0],
      // Runs of none, and of more than there are.
      [1, 1, 2, 0, 1, 0], [1, 1, 2, 2, 1, 0],
      // Contents for none, for too many, and other ones that do not exist.
      [1, 1, 2, 1, 0, 0], [1, 1, 2, 1, 2, 0], [1, 1, 2, 1, 0, 2, 2, 2], [1, 1, 2, 1, 0, 1, 0],
      [1, 1, 2, 1, 0, 1, 1],
      // Something behind the last.
      [1, 1, 2, 1, 1, 0, 0],
    ] as [[UInt8]])
  func encodingThatBreaksARuleIsRefused(_ bytes: [UInt8]) {
    #expect(isRefused(bytes), "\(bytes)")
  }

  /// A ten-byte number in every place, as a count, as a gap and as a content.
  @Test(
    arguments: [
      Array(repeating: 0xFF, count: 9) + [1], Array(repeating: 0x80, count: 9) + [1],
      [0xFE] + Array(repeating: 0xFF, count: 8) + [1], Array(repeating: 0xFF, count: 8) + [0x7F],
      [0xFE] + Array(repeating: 0xFF, count: 7) + [0x7F],
    ] as [[UInt8]])
  func hugeNumbersAreRefusedWithoutAllocation(_ number: [UInt8]) {
    let places: [[UInt8]] = [
      [1] + number + [2, 1, 1, 0], [1, 1] + number + [1, 1, 0], [1, 1, 2] + number + [1, 0],
      [1, 1, 2, 1] + number + [0], [1, 1, 2, 1, 0] + number + [2], [1, 1, 2, 1, 0, 1] + number,
      [1, 2, 2, 1] + number + [1, 2, 0], [1, 2, 2, 2, 0, 2, 2] + number,
    ]
    for bytes in places {
      #expect(isRefused(bytes), "\(bytes)")
    }
  }

  @Test func randomBytesAreRefused() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...24, using: &random)
      var bytes: [UInt8] = (0..<count).map { _ in
        Bool.random(using: &random)
          ? .random(in: 0...3, using: &random) : .random(in: 0...255, using: &random)
      }
      bytes[0] = 1
      guard let items = try? decode(bytes) else { continue }
      // Bytes that are accepted must be a valid part.
      #expect(items.allSatisfy { ListKey.parks.holds($0.id.sequence) }, "\(bytes)")
      #expect(!items.isEmpty && items.count <= PartCoding.maximumCount)
    }
  }
}
