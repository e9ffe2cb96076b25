import Foundation
import GRDB
import ListModel
import ListStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

@Suite(.serialized) struct SizeTests {
  private func store() async throws -> TestStore {
    let test = try TestStore()
    var random = SeededRandom.forThisRun()
    var history = TestHistory(test)
    try await history.commit(history.newItems(3000))
    for _ in 0..<6 { try await history.commitEdits(400, &random) }
    _ = try await test.service.delta(
      of: .parks, since: .version(Version(1)), to: .version(Version(6)))
    _ = try await test.service.commit(.init(list: ListName("films")!, snapshot: .of("x", "y")))
    return test
  }

  @Test func sizesOfThePartsAddUpToTheFileSizes() async throws {
    let test = try await store()
    let size = try await test.service.size()
    let pages = try await test.rows("SELECT * FROM pragma_page_count, pragma_page_size")[0]
    let fileByteCount =
      try #require(pages[0].flatMap { Int($0) }) * #require(
        pages[1].flatMap { Int($0) })
    let log = try Data(contentsOf: URL(fileURLWithPath: test.path + "-wal")).count
    #expect(log > 0)
    #expect(size.byteCounts[.writeAheadLog] == log)
    #expect(size.byteCount == fileByteCount + log)
    #expect(size.byteCounts.count == StoreSize.Part.allCases.count)
    #expect(size.byteCounts.values.allSatisfy { $0 >= 0 })
    #expect(size.listCount == 2)
    #expect(size.versionCount == 8)
    let changeCount = try await test.store.read { reader in
      try [.parks, .films].reduce(0) { try $0 + reader.loggedChanges(of: $1).count }
    }
    #expect(size.changeCount == changeCount)
    #expect(
      size.checkpointCount == (try await test.count("(SELECT DISTINCT version FROM checkpoints)")))
    #expect(size.keptChangesCount == 1)
  }

  @Test func sizeOfAPartIsTheSizeOfItsPages() async throws {
    let test = try await store()
    let size = try await test.service.size()
    try #require(!size.isEstimate)
    for (part, names) in [
      (StoreSize.Part.changes, ["segments", "blocks", "sqlite_autoindex_blocks_1"]),
      (.idIndex, ["id_parts"]),
      (.checkpoints, ["checkpoints", "sqlite_autoindex_checkpoints_1"]),
    ] {
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      let sum = try await test.rows("SELECT sum(pgsize) FROM dbstat WHERE name IN (\(list))")
      #expect(size.byteCounts[part] == sum[0][0].flatMap { Int($0) })
    }
  }

  @Test func pagesOfDeletedRowsCountAsFree() async throws {
    let test = try await store()
    let before = try await test.service.size()
    try await test.sql("DELETE FROM change_sets")
    let after = try await test.service.size()
    #expect(after.keptChangesCount == 0)
    let freed =
      try #require(before.byteCounts[.keptChanges]) - #require(
        after.byteCounts[.keptChanges])
    #expect(freed > 0)
    #expect(after.byteCounts[.free] == (before.byteCounts[.free] ?? 0) + freed)
  }

  @Test func listsOfAStoreHaveEstimatedSharesOfItsSize() async throws {
    let test = try await store()
    let whole = try await test.service.size()
    let parks = try await test.service.size(of: .parks)
    let films = try await test.service.size(of: ListName("films")!)
    #expect(parks.isEstimate && films.isEstimate)
    #expect(parks.versionCount == 7 && films.versionCount == 1)
    #expect(parks.changeCount + films.changeCount == whole.changeCount)
    #expect(films.changeCount == 2 && films.checkpointCount == 0)
    for part in [StoreSize.Part.changes, .idIndex, .headOrder, .versions, .checkpoints] {
      let (all, some) = (try #require(whole.byteCounts[part]), try #require(parks.byteCounts[part]))
      let others = try #require(films.byteCounts[part])
      #expect(((all - 2)...all).contains(some + others), "\(part)")
      #expect(others < some)
    }
    #expect(parks.byteCounts[.free] == nil && parks.byteCounts[.writeAheadLog] == nil)
    await #expect(throws: ServiceError.self) {
      try await test.service.size(of: ListName("nothing")!)
    }
  }

  @Test func onlyListOfAStoreIsMeasuredInPages() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: .of("x", "y")))
    let (whole, parks) = (
      try await test.service.size(), try await test.service.size(of: .parks)
    )
    #expect(parks.isEstimate == whole.isEstimate)
    #expect(parks.byteCounts[.changes] == whole.byteCounts[.changes])
  }
}
