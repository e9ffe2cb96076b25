import ListChanges
import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncClient

@Suite struct ListCopyTests {
  private static func snapshot(_ ids: some Sequence<Int>) -> Snapshot {
    Snapshot(
      uniqueItems: ids.map {
        Item(id: ItemID("i\($0)"), content: Content(canonicalBytes: Array("0".utf8)))
      })
  }

  private static func state(_ snapshot: Snapshot, _ version: Int) -> ListState {
    ListState(
      cursor: Cursor(version: Version(version), chain: .zero), count: snapshot.items.count,
      root: Root(of: snapshot))
  }

  private static func delta(_ from: Snapshot, _ to: Snapshot, version: Int) -> DeltaDocument {
    DeltaDocument(
      Delta(
        list: ListName("parks"), from: state(from, version), to: state(to, version + 1),
        oldest: Version(1), changes: from.changes(to: to)))
  }

  /// Random lists: following changes gives the same copy as reading the whole list.
  @Test func copyUpdatedByChangesEqualsTheCopyReadAsAWhole() throws {
    var random = SeededRandom.forThisRun()
    for _ in 0..<30 {
      var list = Self.snapshot(0..<Int.random(in: 0...20, using: &random))
      var copy = try ListCopy(state: Self.state(list, 1), snapshot: list)
      #expect(!copy.knowsIDs)
      for version in 1...8 {
        let next = Self.snapshot(
          (0..<30).filter { _ in Bool.random(using: &random) }.shuffled(using: &random))
        copy = try copy.applying(Self.delta(list, next, version: version)).copy
        #expect(copy.knowsIDs)
        #expect(
          try copy == ListCopy(state: Self.state(next, version + 1), snapshot: next),
          "seed \(random.seed)")
        list = next
      }
    }
  }

  /// Anyone can compute the root of such a list.
  @Test func insertionOfAnExistingIDIsRefused() throws {
    let (first, second) = (Self.snapshot([1, 2]), Self.snapshot([1, 2, 3]))
    let followed = try ListCopy(state: Self.state(first, 1), snapshot: first)
      .applying(Self.delta(first, second, version: 1)).copy
    let twice = Self.snapshot([1, 2, 3, 2])
    let change = try ChangeSet<Item>(
      oldCount: 3, newCount: 4, removed: [], moved: [],
      inserted: [.init(to: 3, element: twice.items[3])], updated: [])
    let document = DeltaDocument(
      Delta(
        list: ListName("parks"), from: Self.state(second, 2), to: Self.state(twice, 3),
        oldest: Version(1), changes: change))
    for copy in [followed, try ListCopy(state: Self.state(second, 2), snapshot: second)] {
      #expect(throws: Mismatch.self) { try copy.applying(document) }
    }
    #expect(throws: DeltaError.self) { try document.applied(to: second) }
  }
}
