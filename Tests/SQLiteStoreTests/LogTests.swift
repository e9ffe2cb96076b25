import GRDB
import ListChanges
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct LogTests {
  @Test func idsAndContentsAreWrittenOnceAndReferencedLater() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for texts in [["a", "b"], ["a=1", "b"], ["b"], ["b", "a"], ["a=1", "b"]] {
      try await store.append(texts)
    }
    let rows = try folder.rows(
      """
      SELECT kind, item, id, old_index, new_index, old_content, new_content, content
      FROM changes ORDER BY change_id
      """)
    // kind 0 update, 1 insert, 2 move, 3 remove; a is item 1, b is item 2.
    #expect(
      rows == [
        ["1", nil, "a", nil, "0", nil, nil, "0"],
        ["1", nil, "b", nil, "1", nil, nil, "0"],
        ["0", "1", nil, nil, "0", "1", nil, "1"],
        ["3", "1", nil, "0", nil, "3", nil, nil],
        ["1", "1", nil, nil, "1", nil, "1", nil],
        ["2", "2", nil, "0", "1", "2", "2", nil],
        ["0", "1", nil, "1", "0", "1", "3", nil],
      ])
  }

  @Test func movedAndUpdatedItemHasOneRow() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a", "b", "c"])
    try await store.append(["c=1", "a", "b"])
    let rows = try folder.rows(
      "SELECT kind, old_index, new_index, content FROM changes WHERE change_id > (1 << 32) + 3")
    #expect(rows == [["2", "2", "0", "1"]])
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

  @Test func rowsOfOneListAreConsecutiveBesideOtherCommits() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<4 {
      for list in ["parks", "films"] { try await store.append(["a=\(number)"], to: list) }
    }
    let ranges = try folder.rows(
      "SELECT list_id, min(change_id) - (list_id << 32), max(change_id) - (list_id << 32) "
        + "FROM changes GROUP BY list_id")
    #expect(ranges == [["1", "1", "4"], ["2", "1", "4"]])
  }

  @Test func appendToAMovedHeadIsRefusedAndWritesNothing() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    let plan = try await store.read { reader in
      let list = try #require(try reader.list(ListName("parks")!))
      var order = try #require(try reader.headOrder(of: list))
      return try reader.plan(
        [Item("a")].changes(to: [Item("b")]), of: list.key, order: &order,
        TreeUpdate(whole: RootTree(of: [Item("b")])))
    }
    try await store.append(["a", "c"])
    let before = try folder.rows("SELECT count(*), max(change_id) FROM changes")
    await #expect(throws: StoreError.headMoved) {
      try await store.write { writer in
        try writer.append(
          plan,
          VersionRecord(
            version: Version(2), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
            count: 1, changes: ChangeCounts(Snapshot.empty.changes(to: .empty)), root: .empty,
            previous: .zero))
      }
    }
    #expect(try folder.rows("SELECT count(*), max(change_id) FROM changes") == before)
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

  @Test func historyOfAnItemReadsOnlyItsOwnRows() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a", "b", "c"])
    try await store.append(["a", "b=1", "c"])
    let plan = try folder.rows(
      "EXPLAIN QUERY PLAN SELECT 1 FROM changes WHERE list_id = 1 AND item = 5")
    #expect(plan.first?.last??.contains("USING INDEX changes_by_item") == true)
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

  @Test func viewsShowTheLogAndTheHeadInSQL() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for texts in [["a", "b"], ["b=1", "a"], ["b=1"]] { try await store.append(texts) }
    let log = try folder.rows(
      "SELECT version, kind, id, old_index, new_index, old_content, new_content "
        + "FROM change_log ORDER BY version, id")
    #expect(
      log == [
        ["1", "insert", "a", nil, "0", nil, "0"], ["1", "insert", "b", nil, "1", nil, "0"],
        ["2", "update", "b", "1", "0", "0", "1"], ["2", "move", "a", "0", "1", "0", "0"],
      ].sorted { ($0[0]!, $0[2]!) < ($1[0]!, $1[2]!) } + [["3", "remove", "a", "1", nil, "0", nil]])
    #expect(try folder.rows("SELECT list, id, content FROM head_items") == [["parks", "b", "1"]])
  }
}
