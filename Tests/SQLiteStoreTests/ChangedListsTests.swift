import Foundation
import GRDB
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

/// The record of changed lists, where it differs from other engines: triggers write it.
@Suite struct ChangedListsTests {
  private func changes(
    of store: SQLiteStore, after mark: HeadMark?
  ) async throws -> (mark: HeadMark?, changes: ChangedLists?) {
    try await store.read { try $0.changedLists(after: mark) }
  }

  /// The key of "films": the creation of "parks" and its version were recorded before.
  private static let films: Int64 = 3

  private func store(_ folder: StoreFolder) async throws -> (SQLiteStore, HeadMark) {
    let store = try folder.open()
    for name in ["parks", "films"] { try await store.append(["a"], to: name) }
    return (store, try #require(try await changes(of: store, after: nil).mark))
  }

  @Test func statementsOfOtherProgramsAreRecordedToo() async throws {
    let folder = try StoreFolder()
    let (store, start) = try await store(folder)
    var mark: HeadMark? = start
    for (sql, keys, isOther) in [
      ("UPDATE lists SET oldest = 1 WHERE name = 'films'", [Self.films], false),
      ("INSERT INTO lists VALUES (9, 'x', 0, 1, NULL, 1, 0, 1)", [9], false),
      ("DELETE FROM lists WHERE list_id = 9", [9], false),
      ("UPDATE lists SET next_change = 7 WHERE name = 'films'", [], false),
      ("INSERT INTO tokens VALUES (1, 'a', zeroblob(32), 0, NULL, 0)", [], true),
      ("UPDATE tokens SET revoked_at = 1", [], true),
      ("UPDATE lists SET name = name || '2'", [1, Self.films], false),
    ] as [(String, [Int64], Bool)] {
      try folder.sqlOfAnotherProgram(sql)
      let (now, changes) = try await changes(of: store, after: mark)
      #expect(changes?.keys.map(\.rawValue) == keys && changes?.includesOthers == isOther, "\(sql)")
      mark = now
    }
  }

  /// A mark is of no use for content that took the place of another.
  @Test func restoredAndVacuumedFilesForgetAllMarks() async throws {
    let folder = try StoreFolder()
    let (store, _) = try await store(folder)
    let backup = folder.path + ".backup"
    _ = try await store.copy(to: backup) { _, _ in }
    for name in ["parks", "films"] { try await store.append(["b"], to: name) }
    let mark = try await changes(of: store, after: nil).mark
    // The other history has as many changes and more, all of another list.
    let other = try SQLiteStore(path: backup, ifAbsent: .fail)
    for number in 0..<5 { try await other.append(["b=\(number)"], to: "films") }
    try DatabaseQueue(path: backup).backup(to: DatabaseQueue(path: folder.path))
    let (restored, changes) = try await changes(of: store, after: mark)
    #expect(changes == nil && restored != mark)
    _ = try await store.vacuum()
    #expect(try await self.changes(of: store, after: restored).changes == nil)
  }

  @Test func recordStaysSmallAndAReaderBehindItReadsEverything() async throws {
    let folder = try StoreFolder()
    let (store, start) = try await store(folder)
    let last = { (number: Int) in "UPDATE lists SET oldest = \(number) WHERE name = 'films'" }
    for number in 1...128 { try folder.sqlOfAnotherProgram(last(number)) }
    let known = try await changes(of: store, after: start).changes
    #expect(known?.keys == [ListKey(rawValue: Self.films)])
    try folder.sqlOfAnotherProgram(last(1))
    #expect(try await changes(of: store, after: start).changes == nil)
    #expect(try folder.rows("SELECT count(*) FROM changed_lists") == [["128"]])
    // A mark of the future is of another history.
    let future = HeadMark(counts: [0: 1 << 40], origin: start.origin)
    #expect(try await changes(of: store, after: future).changes == nil)
  }
}
