import Foundation
import GRDB
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

/// The record of changed lists, where it differs from other engines: it is a table of the file.
@Suite struct ChangedListsTests {
  private func changes(
    of store: SQLiteStore, after mark: ChangeToken?
  ) async throws -> (mark: ChangeToken, changes: ChangedKeys?) {
    try await store.read { try $0.changedLists(after: mark) }
  }

  /// The key of "films".
  private static let films = ListKey(rawValue: 2)

  private func store(_ folder: StoreFolder) async throws -> (SQLiteStore, ChangeToken) {
    let store = try folder.open()
    for name in ["parks", "films"] { try await store.append(["a"], to: name) }
    return (store, try #require(try await changes(of: store, after: nil).mark))
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

  @Test(arguments: [Int64.min + 31, -1, Int64.max - 2])
  func aForgedNumberInTheRecordStopsNoCommit(number: Int64) async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    try await DatabaseQueue(path: folder.path).write { db in
      try db.execute(sql: "DELETE FROM changed_lists")
      try db.execute(
        sql: "INSERT INTO changed_lists (number, list_id) VALUES (?, 1)", arguments: [number])
    }
    try await store.append(["b"])
    #expect(try folder.rows("SELECT count(*) FROM versions") == [["2"]])
  }

  @Test func recordStaysSmallAndAReaderBehindItReadsEverything() async throws {
    let folder = try StoreFolder()
    let (store, start) = try await store(folder)
    for number in 1...128 {
      try await store.write { try $0.setIDRule("[\(number)]", of: Self.films) }
    }
    let known = try await changes(of: store, after: start).changes
    #expect(known?.keys == [Self.films])
    for number in 1...200 {
      try await store.write { try $0.setIDRule("[\(number)]", of: Self.films) }
      let count = try #require(try folder.rows("SELECT count(*) FROM changed_lists")[0][0])
      #expect((128..<160).contains(Int(count) ?? 0), "\(count)")
    }
    #expect(try await changes(of: store, after: start).changes == nil)
    // A mark of the future is of another history.
    let future = ChangeToken(counts: [0: 1 << 40], origin: start.origin)
    #expect(try await changes(of: store, after: future).changes == nil)
  }
}
