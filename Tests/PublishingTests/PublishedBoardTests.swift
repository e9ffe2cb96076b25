import Foundation
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import Publishing

/// Publications of all lists of a cache.
@Suite struct PublishedBoardTests {
  @Test func listsThatLeaveTheirNamesAreWithdrawnWhileABoardRunsAndBefore() async throws {
    let fixture = try BoardFixture()
    let folder = try TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(at: folder) }
    let publisher = Publisher(fixture.test.service, folder: folder.path)
    for list in [ListName.parks, .films] {
      try await fixture.show(1, in: list)
      _ = try await publisher.publish(list)
    }
    func isGone(_ list: ListName) -> Bool {
      let file = folder.appendingPathComponent("\(list)/head.json")
      let bytes = (try? Data(contentsOf: file)).map { Array($0) } ?? []
      return (try? PublicationEnd(bytes)).flatMap { $0 } != nil
    }
    _ = try await fixture.test.service.drop(DepartureRequest(list: .films))
    try await fixture.headCache.refresh()
    let task = Task {
      try await publisher.publishLists(of: fixture.headCache, every: .zero) { list, error in
        Issue.record("\(list): \(error)")
      }
    }
    try await eventually("what left before is withdrawn") { isGone(.films) }
    #expect(!isGone(.parks))
    _ = try await fixture.test.service.drop(DepartureRequest(list: .parks))
    try await fixture.headCache.refresh()
    try await eventually("what leaves is withdrawn") { isGone(.parks) }
    task.cancel()
    _ = await task.result
  }

  @Test func listsArePublishedAfterEachCommitWhileABoardRuns() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    let service = publication.test.service
    let headCache = HeadCache(service: service, interval: .milliseconds(1))
    let publisher = Publisher(service, folder: publication.folder.path)
    let tasks = [
      Task { try await headCache.run() },
      Task {
        try await publisher.publishLists(of: headCache, every: .milliseconds(1)) { list, error in
          Issue.record("\(list): \(error)")
        }
      },
    ]
    func isPublished(_ version: Int) -> Bool {
      (try? publication.head().head.version) == Version(version)
    }
    try await eventually("the first version is published") { isPublished(1) }
    try await publication.commit(try Snapshot.of("a", "b").items)
    try await eventually("the next version is published") { isPublished(2) }
    for task in tasks {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func aFailureEndsThePublishingIfItIsThrownOn() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    let headCache = HeadCache(service: publication.test.service)
    try await headCache.refresh()
    struct Ended: Error {}
    let publisher = Publisher(publication.test.service, folder: publication.folder.path)
    await #expect(throws: Ended.self) {
      try await publisher.publishLists(of: headCache) { _, error in
        throw error
      } onOutcome: { _ in
        throw Ended()
      }
    }
  }
}
