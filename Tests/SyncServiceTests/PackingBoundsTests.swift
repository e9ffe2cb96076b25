import ListModel
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport
import Testing

@testable import ListStore

/// What packing needs is bounded in bytes, whatever the list.
@Suite struct PackingBoundsTests {
  private static let letters: [UInt8] = {
    var random = SeededRandom(seed: 1)
    return (0..<5 << 20).map { _ in UInt8(truncatingIfNeeded: 0x61 + random.next() % 26) }
  }()

  private static func item(_ number: Int, _ byteCount: Int, _ random: inout SeededRandom) -> Item {
    var text = Array(letters.prefix(byteCount))
    for place in stride(from: 0, to: byteCount, by: 1 + byteCount / 200) {
      text[place] = 0x61 + UInt8(random.number(0...25))
    }
    let json = Array("{\"id\":\"i\(number)\",\"text\":\"".utf8) + text + Array("\"}".utf8)
    return Item(id: ItemID("i\(number)"), content: Content(canonicalBytes: json))
  }

  private static func commit(_ items: [Item], to test: TestStore) async throws {
    let snapshot = try Snapshot(items)
    _ = try await test.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
  }

  /// Packs as the service does, and returns the highest numbers of bytes of the blocks that were
  /// made at once, and of all arrays in the packing.
  @discardableResult
  static func pack(
    _ test: TestStore, isWhole: Bool = false, limit: Int? = nil
  ) async throws -> (packing: Packing, made: Int, held: Int)? {
    let begun = try await test.store.read { reader in
      let list = try #require(try reader.list(.parks))
      return try reader.packing(of: list, isWhole: isWhole, limit: limit)
    }
    guard var packing = begun else { return nil }
    var (made, held) = (0, 0)
    while true {
      let (next, blocks) = try await test.store.read { [packing] reader in
        var next = packing
        let blocks = try next.nextBlocks(reader)
        return (next, blocks)
      }
      packing = next
      if blocks.isEmpty { break }
      made = max(made, blocks.map(\.data.count).reduce(0, +))
      held = max(held, byteCount(of: packing))
      try await test.store.write { [packing] in try $0.store(blocks, of: packing) }
    }
    try await test.store.write { [packing] in try $0.install(packing) }
    return (packing, made, held)
  }

  /// The number of bytes of all arrays in a value.
  private static func byteCount(of value: Any) -> Int {
    switch value {
    case let bytes as [UInt8]: bytes.count
    case let bytes as ArraySlice<UInt8>: bytes.count
    default: Mirror(reflecting: value).children.reduce(8) { $0 + byteCount(of: $1.value) }
    }
  }

  private static let textByteCount = 1 << 20

  /// - Parameter versions: the numbers of the items that each version sets.
  @Test(arguments: [
    (0..<48).map { _ in [0] }, [Array(0..<48)], (0..<24).map { [$0, $0 + 1, 50 + $0] },
  ])
  func packingHoldsAFewTextsAtOnce(versions: [[Int]]) async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    var items: [Int: Item] = [:]
    for numbers in versions {
      for number in numbers { items[number] = Self.item(number, Self.textByteCount, &random) }
      try await Self.commit(items.sorted { $0.key < $1.key }.map(\.value), to: test)
    }
    for isWhole in [false, true] {
      if let found = try await Self.pack(test, isWhole: isWhole) {
        #expect(found.made <= 3 << 20, "blocks of \(found.made) bytes at once")
        #expect(found.held <= 24 << 20, "\(found.held) bytes held")
      }
      try await Self.commit([Self.item(0, 100, &random)], to: test)
    }
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
  }

  @Test func aCommitPacksFourMegabytesAtMost() async throws {
    var random = SeededRandom.forThisRun()
    let (test, limit) = (try TestStore(), 1 << 22)
    for _ in 0..<6 {
      try await Self.commit((0..<60).map { Self.item($0, 20_000, &random) }, to: test)
    }
    var packedCount = 0
    while let found = try await Self.pack(test, limit: limit) {
      packedCount += found.packing.packedCount
      let plainCount = found.packing.packedCount * 20_000
      let repackedCount = found.packing.repackedCount * 20_000
      #expect(plainCount + repackedCount <= limit, "\(plainCount) and \(repackedCount) bytes")
    }
    #expect(packedCount == 360)
    // A text of more bytes is packed alone.
    try await Self.commit([Self.item(0, 5 << 20, &random), Self.item(1, 10, &random)], to: test)
    let found = try await Self.pack(test, limit: limit)
    #expect(found?.packing.packedCount == 58 && found?.packing.repackedCount == 0)
  }

  @Test func aListWithLongTextsIsPackedByItsBytes() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    func commit(_ byteCount: Int) async throws -> Int {
      try await Self.commit([Self.item(0, byteCount, &random)], to: test)
      return try await test.service.compactIfDue(.parks, upTo: 1 << 22).packedCount
    }
    for _ in 0..<3 { #expect(try await commit(300_000) == 0) }
    #expect(try await commit(300_000) == 4)
    for _ in 0..<20 { #expect(try await commit(100) == 0) }
    // The texts have few bytes more than their blocks, so these must be as many.
    #expect(try await commit(1_200_000) == 21)
  }

  @Test func aPackingThatEndsWithinAVersionChangesNoAnswer() async throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<3 {
      let test = try TestStore()
      for number in 0..<24 {
        let ids = (0..<12).shuffled(using: &random).prefix(random.number(1...12))
        let items = ids.map { Self.item($0, random.number(1...9) * 8, &random) }
        try await Self.commit(items, to: test)
        if number == 16 { try await test.service.prune(keepLast: 9) }
        let before = try await StoreAnswers(of: test.service)
        try await Self.pack(test, limit: random.number(300...3000))
        #expect(try await StoreAnswers(of: test.service) == before, "seed \(random.seed)")
        let faults = try await test.service.verify(depth: .everything).faults
        #expect(faults.isEmpty, "\(faults), seed \(random.seed)")
      }
    }
  }

  @Test func fewSlicesAreJoinedAtOnce() async throws {
    var random = SeededRandom.forThisRun()
    let test = try TestStore()
    func sliceCount() async throws -> Int { try await test.count("slices") }
    for number in 0..<60 {
      try await Self.commit((0...number % 7).map { Self.item($0, 400, &random) }, to: test)
      try await Self.pack(test, limit: 600)
    }
    while try await Self.pack(test, limit: 600) != nil {}
    #expect(try await sliceCount() > 2 * Packing.joinedCount)
    let before = try await StoreAnswers(of: test.service)
    var isPartial = true
    while isPartial, let found = try await Self.pack(test, isWhole: true) {
      #expect(found.packing.replaced.count <= Packing.joinedCount)
      isPartial = found.packing.isPartial
    }
    #expect(try await sliceCount() == 1)
    #expect(try await StoreAnswers(of: test.service) == before, "seed \(random.seed)")
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
  }

  @Test func aListOfManySlicesIsPruned() async throws {
    var random = SeededRandom.forThisRun()
    let (test, twin) = (try TestStore(), try TestStore())
    for number in 0..<60 {
      let items = (0...number % 7).map { Self.item($0, 400, &random) }
      for store in [test, twin] { try await Self.commit(items, to: store) }
      try await Self.pack(test, limit: 600)
    }
    #expect(try await test.count("slices") > 2 * Packing.joinedCount)
    for store in [test, twin] { try await store.service.prune(keepLast: 11) }
    let answers = try await StoreAnswers(of: twin.service)
    #expect(try await StoreAnswers(of: test.service) == answers, "seed \(random.seed)")
    #expect(try await test.count("slices") == 1)
    #expect(try await test.service.verify(depth: .everything).faults.isEmpty)
    let faults = try await LogInvariants.faults(of: test.store)
    #expect(faults.isEmpty, "\(faults)")
  }
}
