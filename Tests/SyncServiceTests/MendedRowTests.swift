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
  /// Two lists that are packed but for their last versions. The first one was pruned.
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

  @Test(arguments: [
    "item = 4294967295", "old_content = 4294967295", "new_content = 4294967295",
    "item = -1", "new_content = 9223372036854775807", "old_index = -5",
  ])
  func aChangeThatNamesWhatIsNotBeforeItIsNotPacked(sql: String) async throws {
    let test = try await store()
    try await test.sql(
      "UPDATE changes SET \(sql) "
        + "WHERE change_id = (SELECT max(change_id) FROM changes WHERE kind = 0)"
    )
    await expectDamage(sql) { _ = try await test.service.compact(ListName("films")!) }
  }

  private static let newest = "rowid = (SELECT max(rowid) FROM checkpoints)"

  @Test(arguments: [
    ("UPDATE checkpoints SET version = 9223372036854775807 WHERE \(newest)", false),
    ("UPDATE checkpoints SET next_change = -9223372036854775808 WHERE \(newest)", false),
    ("UPDATE lists SET oldest = 65536", true), ("UPDATE lists SET next_change = 2", true),
    ("UPDATE versions SET first_change = 9 WHERE version = 6", true),
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
        { _ = try await service.compact(list, isWhole: true) },
        { _ = try await service.prune(list, keepLast: 2) }, { _ = try await service.unpack(list) },
      ] as [() async throws -> Void] {
        do {
          try await act()
        } catch {
          #expect((error as? any DamageError)?.saysDamage == true, "\(error)")
        }
      }
    }
  }

  /// Changes the slices of a list.
  private func change(
    _ test: TestStore, _ name: ListName, _ body: @Sendable (Slice) -> Slice
  ) async throws {
    try await test.store.write { writer in
      let list = try #require(try writer.list(name)).key
      for slice in try writer.slices(of: list) {
        let new = body(slice)
        let row = StoredRow(
          of: .slices,
          [
            LogValue(list), .integer(slice.changes.lowerBound), .integer(slice.changes.upperBound),
          ], data: new.data)
        try writer.replace(row, in: .slices)
      }
    }
  }

  struct SliceChange: Sendable {
    let name: String
    let make: @Sendable (Slice) -> Slice

    init(_ name: String, _ make: @escaping @Sendable (Slice) -> Slice) {
      (self.name, self.make) = (name, make)
    }
  }

  private static let changes = [
    SliceChange("steps that begin too late") { slice in
      slice.with(starts: slice.starts.map { Slice.Place(first: $0.first + 1, block: $0.block) })
    },
    SliceChange("no starts") { $0.with(starts: []) },
    SliceChange("no steps") { $0.with(steps: []) }, SliceChange("no front") { $0.with(front: []) },
    SliceChange("a front block twice") { $0.with(front: $0.front + $0.front.suffix(1)) },
    SliceChange("the front as the back") { $0.with(back: $0.front) },
    SliceChange("the steps as the front") { $0.with(front: $0.steps) },
  ]

  @Test(arguments: changes.indices) func aSliceWithOtherPlacesIsDamage(number: Int) async throws {
    let change = Self.changes[number]
    let films = ListName("films")!
    for act in 0..<5 {
      let test = try await store()
      try await self.change(test, films, change.make)
      let service = test.service
      do {
        switch act {
        case 0: _ = try await service.compact(films, isWhole: true)
        case 1: _ = try await service.prune(films, keepLast: 2)
        case 2: _ = try await service.unpack(films)
        case 3:
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
      let list = try #require(try writer.list(.parks))
      var items = try writer.checkpoint(at: list.oldest, of: list.key)
      items[3] = items[2]
      try writer.writeCheckpoint(items, at: list.oldest, of: list.key)
    }
    let answers = await RowAnswers(of: test.store, test.service)
    #expect(answers.otherRefusals == [] && !answers.refusals.isEmpty)
  }

  @Test func twoItemsWithOneContentAreNotUnpacked() async throws {
    let test = try await store()
    try await test.store.write { writer in
      let list = try #require(try writer.list(.parks))
      var items = try writer.checkpoint(at: list.oldest, of: list.key)
      items[1] = StoredItem(id: items[1].id, content: items[0].content)
      try writer.writeCheckpoint(items, at: list.oldest, of: list.key)
    }
    await expectDamage("unpack") { _ = try await test.service.unpack(.parks) }
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

extension Slice {
  fileprivate func with(
    starts: [Place]? = nil, front: [Place]? = nil, back: [Place]? = nil, steps: [Place]? = nil
  ) -> Slice {
    Slice(
      changes: changes, stepCount: stepCount, firstStep: firstStep,
      starts: starts ?? self.starts, front: front ?? self.front, back: back ?? self.back,
      steps: steps ?? self.steps, byteCount: byteCount)
  }
}
