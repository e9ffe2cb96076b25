import ListChanges
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

/// Lists that start at a version later than the first.
@Suite struct StartTests {
  private static let name = ListName("parks")!

  private static func record(_ version: Int, _ items: [Item]) throws -> VersionRecord {
    VersionRecord(
      version: Version(version), note: CommitNote(time: Timestamp(millisecondsSince1970: 7)),
      count: items.count, changes: ChangeCounts(removed: 1, moved: 2, inserted: 3, updated: 4),
      root: Root(of: try Snapshot(items)), previous: .zero)
  }

  private static func start(_ store: SQLiteStore, at version: Int, _ items: [Item]) async throws {
    let record = try record(version, items)
    try await store.write { writer in
      let list = try writer.lockedList(name) ?? writer.createList(name)
      var left = items[...]
      try writer.start(list.key, at: record) { left.removeFirst() }
    }
  }

  @Test func listStartsWithTheItemsOfAVersionAndContinuesFromThere() async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try folder.open()
    let items = try ["b", "a=3", "c"].map(Item.init)
    try await Self.start(store, at: 5, items)
    try await store.append(["c", "b", "a"])
    try await store.append(["c", "b", "a=3", "d"])
    try await store.read { reader in
      let list = try #require(try reader.list(Self.name))
      #expect(list.oldest == Version(5))
      #expect(list.head == Version(7))
      #expect(try reader.versions(Version(1)...list.head, of: list.key).count == 3)
      let base = try reader.checkpoint(at: Version(5), of: list.key)
      #expect(try reader.items(of: base) == items)
      var stored = base
      for step in try reader.steps(Version(6)...Version(7), of: list.key) {
        stored = try stored.applying(step.changes)
      }
      #expect(try reader.items(of: stored) == ["c", "b", "a=3", "d"].map(Item.init))
      #expect(try reader.headOrder(of: list)?.items() == stored)
    }
  }

  @Test func listWithADuplicateItemIsNotStartedAtAnySize() async throws {
    for count in [3, 10_001] {
      let folder = try StoreFolder()
      let store = try folder.open()
      var items = try (0..<count).map { try Item("\($0)") }
      items[count - 1] = try Item("1")
      let twice = items
      await #expect(throws: StoreError.duplicateItem) {
        let record = VersionRecord(
          version: Version(2), note: CommitNote(time: Timestamp(millisecondsSince1970: 7)),
          count: count, changes: ChangeCounts(removed: 0, moved: 0, inserted: 0, updated: 0),
          root: RootTree(of: twice).root, previous: .zero)
        try await store.write { writer in
          var left = twice[...]
          try writer.start(try writer.createList(Self.name).key, at: record) { left.removeFirst() }
        }
      }
      #expect(try await store.read { try $0.lists() } == [])
    }
  }

  @Test func listWithVersionsIsNotStartedAgain() async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try folder.open()
    try await store.append(["a"])
    await #expect(throws: StoreError.headMoved) {
      try await Self.start(store, at: 2, [Item("b")])
    }
    #expect(try await store.read { try $0.list(Self.name)?.oldest } == Version(1))
  }

  @Test func listMayStartEmpty() async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try folder.open()
    try await Self.start(store, at: 3, [])
    try await store.append(["a"])
    try await store.read { reader in
      let list = try #require(try reader.list(Self.name))
      #expect(try reader.checkpoint(at: Version(3), of: list.key) == [])
      #expect(try reader.headOrder(of: list)?.count == 1)
    }
  }
}
