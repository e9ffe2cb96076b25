import ListChanges
import ListModel
import TestSupport
import Testing

@testable import ListStore
@testable import SQLiteStore

/// Kept changes in the store: a bounded shelf on which the most recently used ones stay.
@Suite(.serialized) struct KeptChangesRowTests {
  private static func time(_ seconds: Int) -> Timestamp {
    Timestamp(millisecondsSince1970: Int64(seconds) * 1000)
  }

  private func changes() throws -> ChangeSet<Item> {
    try [Item("a"), Item("b")].changes(to: [Item("b"), Item("a=1"), Item("c")])
  }

  private func kept(_ folder: StoreFolder) throws -> [Int] {
    try folder.rows("SELECT to_version FROM change_sets ORDER BY to_version")
      .compactMap { $0[0].flatMap { Int($0) } }
  }

  @Test func leastRecentlyUsedChangesAreRemovedFirst() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    let changes = try changes()
    let byteCount = ChangeSetCoding.encode(changes).count
    func keep(_ changes: ChangeSet<Item>?, _ version: Int, at seconds: Int) async throws {
      try await store.write { writer in
        let list = try #require(try writer.lockedList(ListName("parks")!)).key
        try writer.keepChanges(
          changes.map(PackedChanges.init), from: Version(0), to: Version(version), of: list,
          usedAt: Self.time(seconds),
          byteLimit: 3 * byteCount + 1)
      }
    }
    for version in 1...3 { try await keep(changes, version, at: version) }
    #expect(try kept(folder) == [1, 2, 3])
    try await keep(changes, 4, at: 4)
    #expect(try kept(folder) == [2, 3, 4])
    // This records only the use of 2, so 3 is removed next.
    try await keep(nil, 2, at: 5)
    try await keep(changes, 5, at: 6)
    #expect(try kept(folder) == [2, 4, 5])
    // Using a missing entry does not create it.
    try await keep(nil, 9, at: 7)
    #expect(try kept(folder) == [2, 4, 5])
    let counts = try folder.rows("SELECT DISTINCT byte_count FROM change_sets")
    #expect(counts == [["\(byteCount)"]])
  }

  // A former fault: entries recorded by a clock that was ahead stayed, and later ones were removed
  // at once.
  /// Such a time means that the clock was ahead.
  @Test func changesUsedAtAFutureTimeAreDeletedFirst() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    let changes = try changes()
    let byteCount = ChangeSetCoding.encode(changes).count
    for (version, seconds) in [(1, 900), (2, 901), (3, 902), (4, 1), (5, 2), (6, 3), (7, 4)] {
      try await store.write { writer in
        let list = try #require(try writer.lockedList(ListName("parks")!)).key
        try writer.keepChanges(
          PackedChanges(changes), from: Version(0), to: Version(version), of: list,
          usedAt: Self.time(seconds),
          byteLimit: 3 * byteCount + 1)
      }
    }
    #expect(try kept(folder) == [5, 6, 7])
  }

  @Test func changesAboveTheByteLimitAreNotKept() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    let changes = try changes()
    let byteCount = ChangeSetCoding.encode(changes).count
    for (limit, isKept) in [(0, false), (byteCount - 1, false), (byteCount, true)] {
      try await store.write { writer in
        let list = try #require(try writer.lockedList(ListName("parks")!)).key
        try writer.keepChanges(
          PackedChanges(changes), from: Version(0), to: Version(1), of: list, usedAt: Self.time(0),
          byteLimit: limit)
        let kept = try writer.keptChanges(from: Version(0), to: Version(1), of: list)
        #expect((kept?.changes == changes) == isKept)
      }
    }
  }

  @Test func keptChangesBelongToOneListAndOneDirection() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try await store.append(["a"], to: "films")
    let changes = try changes()
    try await store.write { writer in
      let (parks, films) = (
        try #require(try writer.lockedList(ListName("parks")!)).key,
        try #require(try writer.lockedList(ListName("films")!)).key
      )
      try writer.keepChanges(
        PackedChanges(changes), from: Version(1), to: Version(2), of: parks, usedAt: Self.time(0),
        byteLimit: 9999)
      #expect(try writer.keptChanges(from: Version(1), to: Version(2), of: parks) != nil)
      #expect(try writer.keptChanges(from: Version(2), to: Version(1), of: parks) == nil)
      #expect(try writer.keptChanges(from: Version(1), to: Version(2), of: films) == nil)
      #expect(
        try writer.keptRanges(of: parks) == [KeptRange(from: Version(1), to: Version(2))])
    }
  }
}
