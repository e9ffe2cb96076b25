import ListChanges
import TestSupport
import Testing

@testable import ListModel

@Suite struct BareChangesTests {
  private static func item(_ id: String, _ value: Int = 0) throws -> Item {
    Item(id: ItemID(id), content: try Content(json: "\(value)"))
  }

  private static func list(_ ids: String...) throws -> [Item] { try ids.map { try item($0) } }

  @Test func completedChangesTakeOldItemsFromTheOldList() throws {
    let old = try Snapshot(Self.list("a", "b", "c", "d"))
    let new = try Snapshot(
      [Self.item("d", 1), Self.item("b", 2), Self.item("e"), Self.item("c")])
    let changes = old.changes(to: new)
    let completed = try BareChanges(changes).completed { old.items[$0] }
    #expect(completed == changes)
    #expect(completed.moved.map(\.id) == changes.moved.map(\.id))
    #expect(try old.applying(completed) == new)
  }

  @Test func completionRequestsOnlyTheItemsOfTheChanges() throws {
    let old = try Snapshot(Self.list("a", "b", "c", "d", "e"))
    let new = try Snapshot(Self.list("e", "a", "c") + [Self.item("d", 1)])
    var asked: Set<Int> = []
    _ = try BareChanges(old.changes(to: new)).completed { index in
      asked.insert(index)
      return old.items[index]
    }
    #expect(asked == [1, 3, 4])
  }

  private func changes(
    oldCount: Int = 3, newCount: Int = 3, removed: [BareChanges.Removal] = [],
    moved: [BareChanges.Move] = [], inserted: [BareChanges.Insertion] = [],
    updated: [BareChanges.Update] = []
  ) -> BareChanges {
    BareChanges(
      oldCount: oldCount, newCount: newCount, removed: removed, moved: moved, inserted: inserted,
      updated: updated)
  }

  private func error(of changes: BareChanges) -> ListChangesError<ItemID>? {
    do {
      let old = try Self.list("a", "b", "c")
      _ = try changes.completed { old[$0] }
      return nil
    } catch {
      return error as? ListChangesError<ItemID>
    }
  }

  @Test func differentItemAtAnIndexIsRefusedWithItsID() throws {
    let b = ListChangesError<ItemID>.itemMismatch(index: 0, expected: "b")
    #expect(error(of: changes(newCount: 2, removed: [.init(id: "b", from: 0)])) == b)
    #expect(error(of: changes(moved: [.init(id: "b", from: 0, to: 2)])) == b)
    #expect(
      error(of: changes(updated: [.init(item: try Self.item("b", 1), from: 0, to: 0)])) == b)
  }

  @Test(arguments: [-1, 3, .max, .min])
  func indexOutsideTheListIsRefused(index: Int) throws {
    let b = ListChangesError<ItemID>.itemMismatch(index: index, expected: "b")
    #expect(error(of: changes(newCount: 2, removed: [.init(id: "b", from: index)])) == b)
    #expect(error(of: changes(moved: [.init(id: "b", from: index, to: 2)])) == b)
    #expect(
      error(of: changes(updated: [.init(item: try Self.item("b", 1), from: index, to: 0)])) == b)
  }

  @Test func structurallyInvalidChangesAreRefused() throws {
    let d = try Self.item("d")
    let broken = [
      changes(newCount: 2), changes(newCount: 4, inserted: [.init(item: d, to: 4)]),
      changes(newCount: 4, inserted: [.init(item: d, to: -1)]), changes(newCount: -1),
      changes(
        newCount: 1, removed: [.init(id: "b", from: 1), .init(id: "a", from: 0)]),
      changes(
        newCount: 2, removed: [.init(id: "a", from: 0)], moved: [.init(id: "a", from: 0, to: 1)]),
      changes(updated: [.init(item: try Self.item("a", 1), from: 0, to: 1)]),
      changes(oldCount: .max, newCount: .max, inserted: [.init(item: d, to: 0)]),
      changes(oldCount: .max, newCount: .min, inserted: [.init(item: d, to: 0)]),
      changes(oldCount: 0, newCount: .max, inserted: [.init(item: d, to: 0)]),
    ]
    for changes in broken {
      guard case .invalid = error(of: changes) else {
        Issue.record("not refused: \(changes)")
        continue
      }
    }
  }

  @Test func errorsOfTheListAreRethrown() throws {
    struct Gone: Error {}
    let changes = changes(newCount: 2, removed: [.init(id: "b", from: 1)])
    #expect(throws: Gone.self) { try changes.completed { _ in throw Gone() } }
  }
}
