import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// The table of ids, where other programs have written, and where writes were lost.
@Suite struct IDTableTests {
  private func found(_ ids: [String], in store: SQLiteStore) async throws -> [Bool] {
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      return try reader.keys(of: ids.map { ItemID($0) }, in: list.key).map { $0 != nil }
    }
  }

  @Test(arguments: [
    ("DELETE FROM id_parts", "lacks a part"),
    ("DELETE FROM id_parts WHERE part_id = (SELECT min(part_id) FROM id_parts)", "lacks a part"),
    (
      "DELETE FROM id_parts WHERE part_id > (SELECT min(part_id) FROM id_parts); "
        + "UPDATE id_parts SET part_id = part_id | 4294967295, data = x'0100'", "has not the ids"
    ),
  ])
  func tableWithOtherIDsThanTheRowsIsAFault(sql: String, words: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append((0..<300).map { "i\($0)" })
    try folder.sql(sql)
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      #expect(try reader.idFault(of: list.key)?.contains(words) == true)
    }
  }

  @Test(arguments: [("i7", "the same id"), ("x8", "has not the ids")])
  func segmentWithAnotherIDThanTheTableIsAFault(id: String, words: String) async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try folder.open()
    try await store.append((0..<300).map { "i\($0)" })
    try await store.write { writer in
      let list = try #require(try writer.lockedList(ListName("parks")!)).key
      let segment = try writer.segments(of: list)[0]
      // The ids are beside the contents, which are all 0.
      let own = try #require(segment.inlineBlocks).map { block in
        var block = block
        if let place = block.firstPlace(of: Array("i80i9".utf8)) {
          block.replaceSubrange(place..<place + 2, with: id.utf8)
        }
        return block
      }
      #expect(own != segment.inlineBlocks)
      let other = Segment(
        changes: segment.changes, stepCount: segment.stepCount, firstStep: segment.firstStep,
        starts: segment.starts, current: segment.current, older: segment.older,
        steps: segment.steps,
        inlineBlocks: own, byteCount: segment.byteCount,
        unfoldedByteCount: segment.unfoldedByteCount)
      try writer.replace([segment], with: other, of: list)
      #expect(try writer.idFault(of: list)?.contains(words) == true)
    }
  }

  @Test(arguments: ["min", "max"])
  func lookupsAndCommitsWithAMissingPartAreRefused(part: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let ids = (0..<300).map { "i\($0)" }
    try await store.append(ids)
    try folder.sql("DELETE FROM id_parts WHERE part_id = (SELECT \(part)(part_id) FROM id_parts)")
    await #expect(throws: StoreError.self) { try await found(ids, in: store) }
    await #expect(throws: StoreError.self) { try await store.append(ids.map { "\($0)-new" }) }
    #expect(try folder.rows("SELECT max(head) FROM lists") == [["1"]])
  }

  /// A write of the row was lost: it is an older one, which is sound by itself.
  @Test func olderPartIsNoticedBeforeAnItemComesInTwice() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a", "b"])
    let old = try folder.rows("SELECT hex(data), digest FROM id_parts")[0].compactMap(\.self)
    try await store.append(["a", "b", "c"])
    try folder.sqlOfAnotherProgram(
      "UPDATE id_parts SET data = x'\(old[0])', digest = \(old[1])")
    #expect(try await found(["a"], in: store) == [true])
    let damage = StoreError.corrupt(reason: "a part of the ids of a list is an older one")
    await #expect(throws: damage) { try await found(["c"], in: store) }
    // The head is not asked, so that "c" seems to be a new item.
    await #expect(throws: damage) { try await store.append(["a", "b", "c", "d"]) }
    #expect(try folder.rows("SELECT max(head) FROM lists") == [["2"]])
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      #expect(try reader.idFault(of: list.key) != nil)
    }
  }

  @Test func sumOfTheDigestsIsThatOfAllPartsAfterEachCommit() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for count in [0, 1, 90, 300, 299, 2000, 2001] {
      try await store.append((0..<count).map { "i\($0)" })
      let sums = try folder.rows(
        """
        SELECT (SELECT id_digests FROM lists), (SELECT coalesce(sum(digest), 0) FROM id_parts)
        """)[0]
      #expect(sums[0] == sums[1], "\(count) items")
    }
  }

  @Test func listWhoseIDsAreAllPrunedHasATable() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try await store.append([])
    try await store.write { writer in
      let list = try #require(try writer.lockedList(ListName("parks")!))
      try writer.writeCheckpoint([], at: Version(2), of: list.key)
      try writer.prune(
        PruneRecord(
          oldOldest: Version(1), newOldest: Version(2), prunedAt: .init(millisecondsSince1970: 0),
          author: nil, rule: "", chain: .zero), of: list.key)
    }
    #expect(try await found(["a", "b"], in: store) == [false, false])
    try await store.append(["b"])
    #expect(try await found(["a", "b"], in: store) == [false, true])
  }

  @Test func smallChangeWritesOnlyThePartsOfItsIDs() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let ids = (0..<20_000).map { "i\($0)" }
    try await store.append(ids)
    let before = try folder.rows("SELECT part_id, hex(data) FROM id_parts ORDER BY part_id")
    #expect((20_000 / 128...20_000 / 64).contains(before.count))
    try await store.append(ids + ["new", "newer"])
    let after = try folder.rows("SELECT part_id, hex(data) FROM id_parts ORDER BY part_id")
    #expect(Set(after).subtracting(before).count <= 2)
    let rowsBefore = store.rowsReadCount
    #expect(try await found(["i77", "new", "never"], in: store) == [true, true, false])
    #expect(store.rowsReadCount - rowsBefore < 20)
  }
}
