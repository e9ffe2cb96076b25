import Foundation
import GRDB
import ListModel
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct DataVersionTests {
  @Test func dataVersionChangesExactlyWithEachCommitOfThisStore() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    var last = try await store.dataVersion()
    for number in 0..<5 {
      #expect(try await store.dataVersion() == last)
      _ = try await store.read { try $0.lists() }
      #expect(try await store.dataVersion() == last)
      try await store.append(["a=\(number)"])
      let mark = try await store.dataVersion()
      #expect(mark != last, "commit \(number)")
      last = mark
    }
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await store.write { writer in
        _ = try writer.createList(ListName("films")!)
        throw Refused()
      }
    }
    #expect(try await store.dataVersion() == last)
    await store.writeIfFree { _ = try $0.createList(ListName("films")!) }
    #expect(try await store.dataVersion() != last)
  }

  /// Both a reading and a writing connection see the change.
  @Test(arguments: [false, true])
  func dataVersionChangesWithCommitsOfOtherConnections(isReading: Bool) async throws {
    let folder = try StoreFolder()
    let other = try folder.open()
    try await other.append(["a"])
    let store = try isReading ? SQLiteStore(readingFrom: folder.path) : folder.open(.fail)
    var last = try await store.dataVersion()
    for number in 0..<5 {
      try await other.append(["a=\(number)"])
      let mark = try await store.dataVersion()
      #expect(mark != last, "commit \(number)")
      #expect(try await store.dataVersion() == mark)
      last = mark
    }
  }

  @Test func dataVersionChangesWithCommitsBeforeAndAfterAWALCheckpoint() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    for number in 0..<6 {
      let before = try await store.dataVersion()
      if number % 2 == 0 { try folder.sql("PRAGMA wal_checkpoint(TRUNCATE)") }
      try await store.append(["a=\(number)"])
      #expect(try await store.dataVersion() != before, "commit \(number)")
    }
    let before = try await store.dataVersion()
    _ = try await store.vacuum()
    #expect(try await store.dataVersion() != before)
  }

  @Test func dataVersionIsReadableDuringAWriteAndIgnoresUncommittedChanges() async throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try await store.append(["a"])
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(
      path: folder.path, configuration: configuration)
    let before = try await store.dataVersion()
    try await other.writeWithoutTransaction {
      try $0.execute(sql: "BEGIN IMMEDIATE; UPDATE lists SET oldest = 2")
    }
    #expect(try await store.dataVersion() == before)
    try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    #expect(try await store.dataVersion() != before)
  }

  @Test func dataVersionReadsNoRowAndAllowsWALCheckpoints() async throws {
    let folder = try StoreFolder()
    do {
      let store = try folder.open()
      try await store.append(["a"])
      let before = store.rowsReadCount
      for _ in 0..<10 { _ = try await store.dataVersion() }
      #expect(store.rowsReadCount == before)
      let log = try folder.rows("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(log == [["0", "0", "0"]])
    }
    #expect(try folder.bytes().keys.sorted() == ["test.db"])
  }
}
