import ListModel
import TestSupport
import Testing

@testable import ListStore

@Suite struct IDPartTests {
  private static let end = IDPart.lastHash

  private static func entry(_ hash: Int64, item: Int64 = 1) -> IDEntry {
    IDEntry(hash: hash, item: item)
  }

  private static func random(_ random: inout SeededRandom, count: Int) -> [IDEntry] {
    var entries: Set<IDEntry> = []
    while entries.count < count {
      // Few hashes, so that some are shared.
      let hash = Int64.random(in: 0...Int64(count * 4), using: &random)
      entries.insert(
        IDEntry(hash: hash, item: .random(in: 1...ListKey.largestSequence, using: &random)))
    }
    return entries.sorted()
  }

  /// Adds entries to a whole table.
  private static func add(_ new: [IDEntry], to parts: [IDPart]) -> [IDPart] {
    var start: Int64 = 0
    return parts.flatMap { part in
      defer { start = part.last + 1 }
      return part.adding(new.filter { (start...part.last).contains($0.hash) })
    }
  }

  @Test func hashIsTheFirst32BitsOfSHA256() {
    // SHA-256 of "abc" begins with ba7816bf 8f01cfea.
    #expect(IDEntry.hash(of: ItemID("abc")) == 0xba78_16bf)
    #expect(IDEntry.hash(of: ItemID("")) == 0xe3b0_c442)
  }

  @Test func randomPartsRoundTripThroughBytes() throws {
    var random = SeededRandom.forThisRun()
    for count in [0, 1, 2, 3, 10, 127, 128, 1000] {
      let part = IDPart(
        hashes: 0...Self.end, entries: Self.random(&random, count: count))
      #expect(try IDPart(last: Self.end, encoded: part.encoded) == part, "seed \(random.seed)")
    }
  }

  @Test func bytesThatAreNoPartAreRefused() throws {
    let part = IDPart(hashes: 2...9, entries: [Self.entry(3), Self.entry(9, item: 2)])
    let bytes = part.encoded
    let others: [[UInt8]] = [
      [], [1], [2, 0], Array(bytes.dropLast()), bytes + [0], [1, 10], [1, 0, 0, 1, 0, 1],
      [1, 0, 0, 2, 0, 1], [1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [1, 0, 10, 1],
      [1, 4] + Array(bytes.dropFirst(2)),
    ]
    for wrong in others {
      #expect(throws: StoreError.self) { try IDPart(last: 9, encoded: wrong) }
    }
    // Its last hash is behind the part.
    #expect(throws: StoreError.self) { try IDPart(last: 8, encoded: bytes) }
    #expect(try IDPart(last: 9, encoded: bytes) == part)
  }

  @Test func itemsOfAHashAreThoseWithExactlyThisHash() {
    let part = IDPart(
      hashes: 0...Self.end,
      entries: [
        Self.entry(1), Self.entry(5, item: 7), Self.entry(6), Self.entry(6, item: 8),
      ])
    #expect(Array(part.items(6)) == [1, 8])
    #expect(Array(part.items(5)) == [7])
    #expect(Array(part.items(4)) == [])
    #expect(Array(part.items(9)) == [])
  }

  @Test func tableHoldsWhatWasAddedInAnyOrderAndPieces() throws {
    var random = SeededRandom.forThisRun()
    for count in [1, 100, 129, 2000] {
      let entries = Self.random(&random, count: count)
      var rest = entries.shuffled(using: &random)[...]
      var parts = [IDPart.empty]
      while !rest.isEmpty {
        let piece = rest.prefix(.random(in: 1...count, using: &random))
        rest = rest.dropFirst(piece.count)
        parts = Self.add(piece.sorted(), to: parts)
        // Adding an entry again changes nothing.
        parts = Self.add(piece.sorted(), to: parts)
      }
      #expect(parts.fault(comparedWith: entries) == nil, "seed \(random.seed)")
      #expect(parts.dropLast().allSatisfy { (48...128).contains($0.entries.count) })
    }
  }

  @Test func entriesWithTheSameHashStayInOnePart() {
    let like = (1...1000).map { Self.entry(7, item: $0) }
    let others = (0..<200).map { Self.entry($0 * 16, item: 2) }
    let parts = IDPart.empty.adding((like + others).sorted())
    #expect(parts.count > 2)
    #expect(parts.filter { $0.entries.contains { $0.hash == 7 } }.count == 1)
    #expect(parts.fault(comparedWith: (like + others).sorted()) == nil)
    #expect(IDPart.empty.adding(like).count == 1)
  }

  @Test func faultNamesTablesThatLackOrHideEntries() {
    let entries = (0..<300).map { Self.entry($0) }
    let parts = IDPart.empty.adding(entries)
    #expect(parts.count > 2 && parts.fault(comparedWith: entries) == nil)
    for lacking in [[], Array(parts.dropLast()), Array(parts.dropFirst()), [parts[0], parts[2]]] {
      #expect(lacking.fault(comparedWith: entries)?.contains("lacks a part") == true)
    }
    #expect(parts.fault(comparedWith: Array(entries.dropLast()))?.contains("has not") == true)
    #expect([IDPart.empty].fault(comparedWith: []) == nil)
  }

  @Test func lookupAmongPartsThatLackOneIsAnError() throws {
    let entries = (0..<300).map { Self.entry($0) }
    let parts = IDPart.empty.adding(entries)
    for entry in entries {
      #expect(try parts.part(holding: entry.hash).entries.contains(entry))
    }
    for missing in parts {
      let others = parts.filter { $0 != missing }
      for entry in missing.entries {
        #expect(throws: StoreError.self) { try others.part(holding: entry.hash) }
      }
    }
  }
}
