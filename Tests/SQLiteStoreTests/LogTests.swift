import GRDB
import ListChanges
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct LogTests {
  /// The changes of the list parks, with the numbers of their items and contents.
  private func changes(in store: SQLiteStore, from first: Int64 = 1) async throws -> [[Int64?]] {
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      var found: [[Int64?]] = []
      try reader.changeRows(first..<reader.row(of: list.key).nextChange, of: list.key) { row in
        found.append([
          row.kind.rawValue, row.item.sequence, row.from.map(Int64.init), row.to.map(Int64.init),
          row.oldContent?.sequence, row.newContent?.sequence,
        ])
      }
      return found
    }
  }

  @Test func changesReferToItemsAndContentsByTheChangesThatWroteThem() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for texts in [["a", "b"], ["a=1", "b"], ["b"], ["b", "a"], ["a=1", "b"]] {
      try await store.append(texts)
    }
    // Kind 0 update, 1 insert, 2 move, 3 remove; a is item 1, b is item 2. A content that returns
    // is written again, except the first one of an item.
    #expect(
      try await changes(in: store) == [
        [1, 1, nil, 0, nil, 1], [1, 2, nil, 1, nil, 2],
        [0, 1, 0, 0, 1, 3],
        [3, 1, 0, nil, 3, nil],
        [1, 1, nil, 1, nil, 1],
        [2, 2, 0, 1, 2, 2], [0, 1, 1, 0, 1, 7],
      ])
  }

  @Test func movedAndUpdatedItemHasOneChange() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a", "b", "c"])
    try await store.append(["c=1", "a", "b"])
    #expect(try await changes(in: store, from: 4) == [[2, 3, 2, 0, 3, 4]])
  }

  @Test func storeReturnsTheAppendedSteps() async throws {
    let folder = try StoreFolder()
    defer { withExtendedLifetime(folder) {} }
    let store = try folder.open()
    let versions = [["a", "b", "c"], ["c=1", "a", "d"], ["d", "c=1", "b=2"], [], ["x"]]
    for texts in versions { try await store.append(texts) }
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      #expect(list.head == Version(5))
      var stored: [StoredItem] = []
      for (texts, step) in zip(versions, try reader.steps(Version(1)...list.head, of: list.key)) {
        #expect(step.changes == step.changes.canonical())
        stored = try stored.applying(step.changes)
        let ids = try reader.ids(of: stored.map(\.id))
        let contents = try reader.contents(of: stored)
        #expect(try zip(ids, contents).map { Item(id: $0, content: $1) } == texts.map(Item.init))
      }
    }
  }

  @Test func changesOfOneListAreConsecutiveBesideOtherCommits() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<4 {
      for list in ["parks", "films"] { try await store.append(["a=\(number)"], to: list) }
    }
    let ranges = try folder.rows(
      "SELECT segment_id >> 32, min(segment_id) & 4294967295, max(end_change) "
        + "FROM segments GROUP BY 1")
    #expect(ranges == [["1", "1", "5"], ["2", "1", "5"]])
  }

  @Test func appendToAMovedHeadIsRefusedAndWritesNothing() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    let plan = try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      var order = try #require(try reader.headOrder(of: list))
      let record = VersionRecord(
        version: Version(2), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
        count: 1, changes: ChangeCounts(Snapshot.empty.changes(to: .empty)), root: .empty,
        previous: .zero)
      return try reader.plan(
        [Item("a")].changes(to: [Item("b")]), of: list.key, as: record, order: &order,
        TreeUpdate(whole: RootTree(of: [Item("b")])))
    }
    try await store.append(["a", "c"])
    let before = try folder.rows("SELECT segment_id, end_change, hex(data) FROM segments")
    await #expect(throws: StoreError.headMoved) {
      try await store.write { try $0.append(plan) }
    }
    #expect(try folder.rows("SELECT segment_id, end_change, hex(data) FROM segments") == before)
  }

  @Test func storeRollsBackAFailedWrite() async throws {
    struct Stop: Error {}
    let folder = try StoreFolder()
    let store = try folder.open()
    await #expect(throws: Stop.self) {
      try await store.write { writer in
        _ = try writer.createList(ListName("parks")!)
        throw Stop()
      }
    }
    #expect(try await store.read { try $0.lists() } == [])
  }

  @Test(arguments: ["caf\u{E9}", "cafe\u{301}", "nul\u{0}inside", "a\u{1F}b", "emoji 👩‍👩‍👧"])
  func storeKeepsTheExactBytesOfIDs(id: String) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let others = ["caf\u{E9}", "cafe\u{301}", "nul", "nul\u{0}inside", "a\u{1F}b", "emoji 👩‍👩‍👧"]
    try await store.append(others)
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      let key = try #require(try reader.keys(of: [ItemID(id)], in: list.key)[0])
      #expect(try reader.ids(of: [key]) == [ItemID(id)])
    }
  }

  @Test func historyOfAnItemIsThatOfItsOwnChanges() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a", "b", "c"])
    try await store.append(["a", "b=1", "c"])
    try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      let key = try #require(try reader.keys(of: ["b"], in: list.key)[0])
      var history: [ItemChange] = []
      try reader.history(of: key, in: list) { change in
        history.append(change)
        return true
      }
      #expect(history.map(\.record.version.number) == [2, 1])
      #expect(history.map(\.isMove) == [false, false])
    }
  }
}
