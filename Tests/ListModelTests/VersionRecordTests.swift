import ListModel
import Testing

struct VersionRecordTests {
  @Test func aRecordHasTheCursorAndStateOfItsVersion() throws {
    let before = try #require(Chain(bytes: Array(repeating: 0xAB, count: 32)))
    let root = try #require(Root(bytes: Array(repeating: 1, count: 32)))
    let record = VersionRecord(
      version: Version(3), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)), count: 9,
      changes: ChangeCounts(removed: 1, moved: 2, inserted: 3, updated: 4), root: root,
      previous: before)
    #expect(record.cursor == Cursor("3-3ba656e1d0bc95864f10e98cf04cfaae"))
    #expect(record.cursor == Cursor(version: Version(3), chain: record.chain))
    #expect(record.chain == before.extended(to: Version(3), root: root, note: record.note))
    #expect(record.state.chain == record.chain)
    #expect(record.state == ListState(cursor: record.cursor, count: 9, root: root))
  }

  @Test func versionZeroIsTheEmptyList() {
    #expect(ListState.zero.cursor == Cursor("0-" + String(repeating: "0", count: 32)))
    #expect(ListState.zero.count == 0)
    #expect(ListState.zero.root == .empty)
    #expect(ListState(of: .empty) == ListState(cursor: nil, count: 0, root: .empty))
  }

  @Test func snapshotOutsideAStoreHasAStateWithoutACursor() throws {
    let snapshot = try Snapshot([
      Item(id: "a", content: Content(json: "1")), Item(id: "b", content: Content(json: "2")),
    ])
    let state = ListState(of: snapshot)
    #expect(state.cursor == nil)
    #expect(state.count == 2)
    #expect(state.root == Root(of: snapshot))
  }
}
