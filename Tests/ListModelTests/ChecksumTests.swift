import ListModel
import TestSupport
import Testing

struct ChecksumTests {
  private static func item(_ id: ItemID, _ json: String) throws -> Item {
    Item(id: id, content: try Content(json: json))
  }

  private static func three() throws -> [Item] {
    try [item("zion", #"{"id":"zion"}"#), item("\u{E9}", "[1,2]"), item("", "null")]
  }

  @Test func emptyListHasTheZeroChecksum() {
    #expect(Checksum(of: .empty) == .zero)
    #expect(Checksum.zero.description == String(repeating: "0", count: 32))
  }

  // Computed with Python's hashlib from the grammar in the doc comment of Checksum.
  @Test func threeItemsHaveTheChecksumOfTheGrammar() throws {
    let items = try Self.three()
    #expect(Checksum(of: try Snapshot(items)).description == "a7a4400cb53b4a6e5c60e8e284f704b1")
    #expect(
      Checksum.term(of: items[0], after: nil).description == "b6f0d91aa6c854ca04ab110419b2efcb")
    #expect(
      Checksum.term(of: items[1], after: "zion").description == "e5facce53d761a09c87480c91add7814")
  }

  // Computed with Python's hashlib as above, for the items 1, 0, 2.
  @Test func checksumDependsOnTheOrderOfItems() throws {
    let items = try Self.three()
    let swapped = try Snapshot([items[1], items[0], items[2]])
    #expect(Checksum(of: swapped).description == "998281268366fbba65de9f10db77f317")
  }

  @Test func missingPredecessorDiffersFromAnEmptyPredecessorID() throws {
    let item = try Self.item("a", "1")
    #expect(Checksum.term(of: item, after: nil) != Checksum.term(of: item, after: ""))
  }

  @Test func checksumDependsOnTheBoundaryOfIDAndContent() throws {
    #expect(
      try Checksum.term(of: Self.item("a", "11"), after: nil)
        != Checksum.term(of: Self.item("a1", "1"), after: nil))
  }

  @Test func additionCarriesIntoTheHighHalfAndSubtractionBorrows() throws {
    let one = try #require(Checksum("01" + String(repeating: "0", count: 30)))
    var sum = try #require(
      Checksum(String(repeating: "f", count: 16) + String(repeating: "0", count: 16)))
    sum.add(one)
    #expect(sum.description == String(repeating: "0", count: 16) + "0100000000000000")
    sum.subtract(one)
    #expect(
      sum.description == String(repeating: "f", count: 16) + String(repeating: "0", count: 16))
    sum = .zero
    sum.subtract(one)
    #expect(sum.description == String(repeating: "f", count: 32))
    sum.add(one)
    #expect(sum == .zero)
  }

  @Test func incrementalChecksumEqualsTheChecksumFromScratch() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<20 {
      var items = try (0..<Int.random(in: 0...8, using: &random)).map {
        try Self.item(ItemID("item-\($0)"), "\($0)")
      }
      var checksum = Checksum(of: try Snapshot(items))
      for round in 0..<20 {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let index = Int.random(in: 0...items.count, using: &random)
          Self.insert(
            try Self.item(ItemID("new-\(round)"), "{}"), at: index, in: &items, &checksum)
        case 1 where !items.isEmpty:
          _ = Self.remove(at: .random(in: items.indices, using: &random), from: &items, &checksum)
        case 2 where !items.isEmpty:
          let index = Int.random(in: items.indices, using: &random)
          let moved = Self.remove(at: index, from: &items, &checksum)
          Self.insert(
            moved, at: .random(in: 0...items.count, using: &random), in: &items, &checksum)
        case 3 where !items.isEmpty:
          let index = Int.random(in: items.indices, using: &random)
          let previous = index > 0 ? items[index - 1].id : nil
          checksum.subtract(Checksum.term(of: items[index], after: previous))
          items[index] = try Self.item(items[index].id, "[\(round)]")
          checksum.add(Checksum.term(of: items[index], after: previous))
        default: continue
        }
        #expect(
          try checksum == Checksum(of: Snapshot(items)), "\(items.map(\.id)), seed \(random.seed)")
      }
    }
  }

  private static func insert(
    _ item: Item, at index: Int, in items: inout [Item], _ checksum: inout Checksum
  ) {
    let previous = index > 0 ? items[index - 1].id : nil
    if index < items.count {
      checksum.subtract(Checksum.term(of: items[index], after: previous))
      checksum.add(Checksum.term(of: items[index], after: item.id))
    }
    checksum.add(Checksum.term(of: item, after: previous))
    items.insert(item, at: index)
  }

  private static func remove(
    at index: Int, from items: inout [Item], _ checksum: inout Checksum
  ) -> Item {
    let previous = index > 0 ? items[index - 1].id : nil
    let item = items.remove(at: index)
    checksum.subtract(Checksum.term(of: item, after: previous))
    if index < items.count {
      checksum.subtract(Checksum.term(of: items[index], after: item.id))
      checksum.add(Checksum.term(of: items[index], after: previous))
    }
    return item
  }

  @Test func checksumRoundTripsThroughTextAndBytes() throws {
    let bytes = (UInt8(0xF0)...0xFF).map { $0 }
    let checksum = try #require(Checksum(bytes: bytes))
    #expect(checksum.bytes == bytes)
    #expect(checksum.description == "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    #expect(Checksum(checksum.description) == checksum)
    #expect(Checksum(checksum.description.uppercased()) == checksum)
    // Little-endian, by the doc comment.
    #expect(checksum.low == 0xF7F6_F5F4_F3F2_F1F0)
    #expect(checksum.high == 0xFFFE_FDFC_FBFA_F9F8)
  }

  @Test(arguments: [
    "", "0", String(repeating: "0", count: 31), String(repeating: "0", count: 33),
    String(repeating: "0", count: 34), String(repeating: "0", count: 31) + "g",
    String(repeating: "0", count: 31) + " ", "0x" + String(repeating: "0", count: 30),
    "é" + String(repeating: "0", count: 30),
  ])
  func otherTextsAreRefused(text: String) {
    #expect(Checksum(text) == nil)
  }

  @Test func wrongNumbersOfBytesAreRefused() {
    #expect(Checksum(bytes: Array(repeating: 0, count: 15)) == nil)
    #expect(Checksum(bytes: Array(repeating: 0, count: 17)) == nil)
  }

  @Test(arguments: 0...20)
  func checksumEqualsTheSumOfItsPartsWhereverTheListIsCut(count: Int) throws {
    let snapshot = try Snapshot((0..<count).map { try Self.item(ItemID("i\($0)"), "\($0)") })
    var sum = Checksum.zero
    var previous: ItemID?
    for item in snapshot.items {
      sum.add(Checksum.term(of: item, after: previous))
      previous = item.id
    }
    #expect(Checksum(of: snapshot) == sum)
    for itemsPerSum in 1...21 {
      #expect(Checksum(of: snapshot, itemsPerSum: itemsPerSum) == sum, "sums of \(itemsPerSum)")
    }
  }
}
