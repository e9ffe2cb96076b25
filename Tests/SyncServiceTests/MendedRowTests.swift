import ListChanges
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import ListStore

/// Rows with absurd values and right digests are damage: no act ends the program, runs on, or takes
/// much memory.
@Suite struct MendedRowTests {
  /// Two pruned lists, whose logs have rows of blocks and a short segment.
  private func store() async throws -> TestStore { try await RowFixture.store() }

  private func expectDamage(
    _ what: String, from act: () async throws -> Void
  ) async {
    do {
      try await act()
      Issue.record("\(what): nothing was thrown")
    } catch {
      #expect((error as? any DamageError)?.saysDamage == true, "\(what): \(error)")
    }
  }

  private static let newest = "rowid = (SELECT max(rowid) FROM checkpoints)"

  @Test(arguments: [
    ("UPDATE checkpoints SET version = 9223372036854775807 WHERE \(newest)", false),
    ("UPDATE checkpoints SET next_change = -9223372036854775808 WHERE \(newest)", false),
    ("UPDATE lists SET oldest = 65536", true), ("UPDATE lists SET next_change = 2", true),
    ("UPDATE versions SET first_change = 9 WHERE version = 6", true),
    ("UPDATE segments SET unfolded = 1 << 60", false),
    ("UPDATE versions SET item_count = 4294967295 WHERE version = 6", true),
  ])
  func absurdNumbersAreDamageToEveryAct(sql: String, isNeeded: Bool) async throws {
    let test = try await store()
    try await test.sql(sql)
    let service = test.service
    let films = ListName("films")!
    let answers = await RowAnswers(of: test.store, service)
    #expect(answers.otherRefusals.isEmpty && (!isNeeded || !answers.refusals.isEmpty))
    let faults = try? await service.verify().faults
    #expect(faults?.isEmpty != true)
    for list in [ListName.parks, films] {
      let other = SyncService(store: MemoryStore()) { TestStore.noon }
      for act in [
        { _ = try await service.blame(list) }, { _ = try await other.copy(list, from: service) },
        { _ = try await service.compact(list) },
        { _ = try await service.prune(list, keepLast: 2) },
        { _ = try await service.compactIfDue(list) },
      ] as [() async throws -> Void] {
        do {
          try await act()
        } catch {
          #expect((error as? any DamageError)?.saysDamage == true, "\(error)")
        }
      }
    }
  }

  /// Changes the segments of a list.
  private func change(
    _ test: TestStore, _ name: ListName, _ body: @Sendable (Segment) -> Segment
  ) async throws {
    try await test.store.write { writer in
      let list = try #require(try writer.lockedList(name)).key
      for segment in try writer.segments(of: list) {
        let new = body(segment)
        let row = StoredRow(
          of: .segments,
          [
            LogValue(list), .integer(segment.changes.lowerBound),
            .integer(segment.changes.upperBound), LogValue(segment.unfoldedByteCount),
          ], data: new.data)
        try writer.replace(row, in: .segments)
      }
    }
  }

  struct SegmentChange: Sendable {
    let name: String
    let make: @Sendable (Segment) -> Segment

    init(_ name: String, _ make: @escaping @Sendable (Segment) -> Segment) {
      (self.name, self.make) = (name, make)
    }
  }

  private static let changes = [
    SegmentChange("steps that begin too late") { segment in
      segment.with(
        starts: segment.starts.map { Segment.Place(first: $0.first + 1, block: $0.block) })
    },
    SegmentChange("no starts") { $0.with(starts: []) },
    SegmentChange("no steps") { $0.with(steps: []) },
    SegmentChange("no front") { $0.with(current: []) },
    SegmentChange("a block of current texts twice") {
      $0.with(current: $0.current + $0.current.suffix(1))
    },
    SegmentChange("the current texts as the older ones") { $0.with(older: $0.current) },
    SegmentChange("more bytes than can be counted") { $0.with(byteCount: .max / 2) },
    SegmentChange("the steps as the current texts") { $0.with(current: $0.steps) },
  ]

  @Test(arguments: changes.indices) func aSegmentWithOtherPlacesIsDamage(number: Int) async throws {
    let change = Self.changes[number]
    let films = ListName("films")!
    for act in 0..<4 {
      let test = try await store()
      try await self.change(test, films, change.make)
      let service = test.service
      do {
        switch act {
        case 0: _ = try await service.compact(films)
        case 1: _ = try await service.prune(films, keepLast: 2)
        case 2:
          for id in 0..<10 { _ = try await service.history(of: ItemID("i\(id)"), in: films) }
        default:
          let isSound = try await service.verify(depth: .everything).faults.isEmpty
          let sound = try await store()
          let before = await RowAnswers(of: sound.store, sound.service)
          let wrong = await RowAnswers(of: test.store, service).differing(from: before)
          #expect(!isSound || wrong.isEmpty, "\(change.name): \(wrong)")
        }
      } catch {
        let isNamed = (error as? any DamageError)?.saysDamage == true
        #expect(isNamed, "\(change.name), act \(act): \(error)")
      }
    }
  }

  @Test func aRowThatIsThereBeforeItIsWrittenIsDamage() async throws {
    let test = try await store()
    try await test.sql("UPDATE prunes SET new_oldest = 5 WHERE list_id = 1 AND new_oldest = 4")
    await expectDamage("prune") { _ = try await test.service.prune(.parks, keepLast: 3) }
  }

  /// Former fault: the error of the comparison was not one of damage.
  @Test func checkpointWithAnItemTwiceIsDamage() async throws {
    let test = try await store()
    try await test.store.write { writer in
      let list = try #require(try writer.lockedList(.parks))
      var items = try writer.checkpoint(at: list.oldest, of: list.key)
      items[3] = items[2]
      try writer.writeCheckpoint(items, at: list.oldest, of: list.key)
    }
    let answers = await RowAnswers(of: test.store, test.service)
    #expect(answers.otherRefusals == [] && !answers.refusals.isEmpty)
  }

  /// Small data that would unfold to gigabytes.
  @Test func blocksThatUnfoldToTooMuchAreDamage() async throws {
    func column(_ bytes: [UInt8]) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(count: bytes.count)
      writer.write(bytes)
      return writer.bytes
    }
    func number(_ number: Int) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(count: number)
      return writer.bytes
    }
    let count = 200
    // One text of a million bytes, and many copies of it.
    let copy = number(0) + number(1_000_000) + number(0)
    let copies = [
      number(7), number(4 * count), (0..<count).flatMap { _ in number(3) }, [],
      number(2_000_000) + number(0) + (1..<count).flatMap { _ in copy },
      Array(repeating: UInt8(ascii: "1"), count: 1_000_000),
    ].flatMap(column)
    // Millions of empty texts.
    let empty = 8_000_000
    let touches = [
      number(7), number(4 * empty), Array(repeating: 3, count: empty), [],
      Array(repeating: 0, count: empty), [],
    ].flatMap(column)
    for bytes in [copies, touches] {
      let data = PackedData.pack(bytes)
      #expect(data.count < 60_000)
      for byteCount in [bytes.count, 1 << 30] {
        #expect(throws: ByteReader.Malformed.self) {
          try ContentsBlock(UnfoldedBlock(data, byteCount: byteCount), stepCount: 9_000_000)
        }
      }
    }
  }
}

extension Segment {
  fileprivate func with(
    starts: [Place]? = nil, current: [Place]? = nil, older: [Place]? = nil, steps: [Place]? = nil,
    byteCount: Int? = nil
  ) -> Segment {
    Segment(
      changes: changes, stepCount: stepCount, firstStep: firstStep,
      starts: starts ?? self.starts, current: current ?? self.current, older: older ?? self.older,
      steps: steps ?? self.steps, inlineBlocks: inlineBlocks,
      byteCount: byteCount ?? self.byteCount, unfoldedByteCount: unfoldedByteCount)
  }
}
