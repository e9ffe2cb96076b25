import ListChanges
import ListModel
import Testing

struct SnapshotTests {
  private static func item(_ id: ItemID, _ json: String = "0") throws -> Item {
    Item(id: id, content: try Content(json: json))
  }

  @Test func repeatedIDIsRefusedWithBothIndexes() throws {
    let items = try ["a", "b", "c", "b", "b"].map { try Self.item(ItemID($0)) }
    #expect(throws: ListChangesError<ItemID>.duplicateID("b", first: 1, second: 3, side: .new)) {
      try Snapshot(items)
    }
  }

  @Test func snapshotDistinguishesIDsByTheirBytes() throws {
    let items = try [Self.item("\u{E9}"), Self.item("e\u{301}"), Self.item("e\u{301}\u{0}")]
    #expect(try Snapshot(items).items == items)
  }

  @Test func equalityComparesOrderAndContent() throws {
    let (a, b) = try (Self.item("a"), Self.item("b"))
    #expect(try Snapshot([a, b]) == Snapshot([a, b]))
    #expect(try Snapshot([a, b]) != Snapshot([b, a]))
    #expect(try Snapshot([a]) != Snapshot([Self.item("a", "1")]))
    #expect(try Snapshot([]) == .empty)
  }

  @Test func changesLeadFromOneSnapshotToTheOther() throws {
    let old = try Snapshot([Self.item("a"), Self.item("b"), Self.item("c"), Self.item("d")])
    let new = try Snapshot([Self.item("d"), Self.item("b"), Self.item("c", "1"), Self.item("e")])
    let changes = old.changes(to: new)
    #expect(changes.removed.map(\.from) == [0])
    #expect(changes.moved.map(\.id) == ["d"])
    #expect(changes.inserted.map(\.to) == [3])
    #expect(changes.updated.map(\.new) == [new.items[2]])
    #expect(try old.applying(changes) == new)
    #expect(throws: ListChangesError<ItemID>.self) { try new.applying(changes) }
    #expect(throws: ListChangesError<ItemID>.countMismatch(expected: 4, found: 0)) {
      try Snapshot.empty.applying(changes)
    }
  }

  @Test func insertionOfAnExistingIDIsRefused() throws {
    let old = try Snapshot([Self.item("a")])
    let changes = try ChangeSet<Item>(
      oldCount: 1, newCount: 2, removed: [], moved: [],
      inserted: [.init(to: 1, element: Self.item("a", "1"))], updated: [])
    #expect(throws: ListChangesError<ItemID>.duplicateID("a", first: 0, second: 1, side: .new)) {
      try old.applying(changes)
    }
  }
}
