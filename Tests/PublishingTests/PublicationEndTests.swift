import Foundation
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import Testing

@testable import Publishing

/// The files that stay of a publication whose list was dropped or renamed.
@Suite struct PublicationEndTests {
  @Test func aListThatIsGoneLeavesAHeadThatSaysSo() async throws {
    for newName in [nil, ListName("forests")] {
      let publication = try Publication()
      for count in 1...9 {
        try await publication.commit(try Snapshot.of((0..<count).map { "i\($0)" }).items)
      }
      _ = try await publication.publish()
      let service = publication.test.service
      let mine = publication.place.appendingPathComponent("mine.txt")
      try Data("mine".utf8).write(to: mine)
      let request = DepartureRequest(list: .parks)
      if let newName {
        _ = try await service.rename(request, to: newName)
      } else {
        _ = try await service.drop(request)
      }
      let count = publication.files().count - 1
      let oldHead = try publication.head()
      let outcome = try await publication.publish()
      #expect(outcome.end?.newName == nil && outcome.end?.list == .parks)
      #expect(outcome.head == nil && outcome.removedCount == count)
      let end = try #require(try PublicationEnd(publication.bytes("head.json")))
      #expect(end == outcome.end)
      #expect(publication.files() == ["head.json"])
      let left = try FileManager.default.contentsOfDirectory(atPath: publication.place.path)
      #expect(Set(left) == ["head.json", "head.json.gz", "mine.txt"])
      // Again, and after a publication that was killed before it removed files.
      let folder = publication.place.appendingPathComponent("delta/1")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appendingPathComponent("\(oldHead.head.knownCursor).json")
      try Data("{}".utf8).write(to: file)
      #expect(try await publication.publish().removedCount == 1)
      var again = CommitRequest(list: .parks, snapshot: try .of("x", "y"))
      again.beginsAgain = true
      _ = try await service.commit(again)
      _ = try await publication.publish()
      #expect(try publication.head().head.version == Version(1))
    }
  }

  /// A former fault: it was told to everybody.
  @Test func newNameOfAListIsToldOnlyWhereThatListIsPublished() async throws {
    let publication = try Publication()
    let service = publication.test.service
    let forests = try #require(ListName("forests"))
    let publisher = Publisher(service, folder: publication.folder.path)
    try await publication.commit(try Snapshot.of("a").items)
    _ = try await publisher.publish(.parks)
    _ = try await service.rename(DepartureRequest(list: .parks), to: forests)
    #expect(try await publisher.publish(.parks).end?.newName == nil)
    let told = String(decoding: try publication.bytes("head.json"), as: UTF8.self)
    #expect(!told.contains("forests"))
    #expect(try await publisher.publish(.parks, beside: [forests].contains).end?.newName == forests)
    #expect(try await publisher.publish(.parks).end?.newName == nil)
    _ = try await publisher.publish(forests)
    #expect(try await publisher.publish(.parks).end?.newName == forests)
  }

  @Test func aListThatWasNeverPublishedIsGoneWithoutAFolder() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    _ = try await publication.test.service.drop(DepartureRequest(list: .parks))
    await #expect(throws: ServiceError.self) { try await publication.publish() }
    #expect(!FileManager.default.fileExists(atPath: publication.place.path))
  }
}
