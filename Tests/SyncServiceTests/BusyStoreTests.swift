import Foundation
import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

/// Calls that read a whole store, while other connections write it.
@Suite(.serialized) struct BusyStoreTests {
  private func service(at path: String) throws -> SyncService {
    SyncService(store: try SQLiteStore(path: path, ifAbsent: .fail)) { TestStore.noon }
  }

  /// Edits one item after the other until the body has ended.
  private func whileEditing(
    _ service: SyncService, _ body: @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var number = 0
        while !Task.isCancelled {
          number += 1
          let item = try TestHistory.item("edited", number)
          _ = try await service.commit(CommitRequest(list: .parks, edits: [.put(item, .first)]))
        }
      }
      group.addTask {
        while !Task.isCancelled { _ = try await service.delta(of: .parks, since: .head(back: 1)) }
      }
      defer { group.cancelAll() }
      try await body()
    }
  }

  private static let megabyteCounts = Campaign.isLong ? [1, 10, 100] : [1, 5]

  @Test(arguments: megabyteCounts)
  func backupBesideWritersAndReadersIsAConsistentSnapshot(megabyteCount: Int) async throws {
    let test = try TestStore()
    let text = String(repeating: "x", count: 460)
    let items = try (0..<megabyteCount * 2000).map { number in
      Item(
        id: ItemID("i\(number)"), content: try Content(json: #"{"n":\#(number),"t":"\#(text)"}"#))
    }
    _ = try await test.service.commit(.init(list: .parks, snapshot: try Snapshot(items)))
    // The write-ahead log holds frames, which a copy by pages would miss.
    let edit = CommitRequest(list: .parks, edits: [.put(try TestHistory.item("edited", 0), .first)])
    _ = try await test.service.commit(edit)
    try await whileEditing(try service(at: test.path)) {
      for number in 0..<2 {
        let path = test.path + ".copy\(number)"
        let report = try await Backup(of: test.store, to: path).run()
        #expect(report.verification.faults == [])
        let copy = SyncService(store: try SQLiteStore(readingFrom: path)) { TestStore.noon }
        let cursor = try #require(try await copy.lists().first?.head.cursor)
        let same = try await test.service.log(of: .parks)
          .first { $0.version == cursor.version }
        #expect(same?.cursor == cursor)
      }
    }
  }

  @Test func verificationBesideAVacuumReportsNoFault() async throws {
    let test = try TestStore()
    var random = SeededRandom.forThisRun()
    var history = TestHistory(test)
    try await history.commit(history.newItems(3000))
    for _ in 0..<6 { try await history.commitEdits(300, &random) }
    let other = try SQLiteStore(path: test.path, ifAbsent: .fail)
    let service = test.service
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<6 { _ = try await other.vacuum() }
      }
      for _ in 0..<6 {
        group.addTask {
          let report = try await service.verify()
          #expect(report.faults == [])
        }
      }
      try await group.waitForAll()
    }
  }
}
