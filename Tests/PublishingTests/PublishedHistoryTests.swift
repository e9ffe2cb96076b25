import Foundation
import GRDB
import ListModel
import Publishing
import StoreTestSupport
import SyncService
import Testing

/// The history of a publication as a SQLite file.
struct PublishedHistoryTests {
  @Test func aPublicationWithAHistoryKeepsIt() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    try await publication.publish(hasHistory: true)
    #expect(try publication.exportedIDs() == ["a"])
    try await publication.commit(try Snapshot.of("b", "a").items)
    // Without being asked again.
    try await publication.publish(hasHistory: false)
    #expect(try publication.exportedIDs() == ["b", "a"])
    #expect(try publication.historyFiles() == ["history.db"])
  }

  @Test func aHistoryIsAddedToAPublicationThatIsUpToDate() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    try await publication.publish(hasHistory: false)
    #expect(try publication.historyFiles() == [])
    try await publication.publish(hasHistory: true)
    #expect(try publication.exportedIDs() == ["a"])
  }

  @Test func aReaderThatHasOpenedTheFileKeepsItsVersion() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    try await publication.publish(hasHistory: true)
    let reader = try FileHandle(forReadingFrom: publication.place.appending(path: "history.db"))
    let before = try publication.bytes("history.db")
    try await publication.commit(try Snapshot.of("b").items)
    try await publication.publish(hasHistory: true)
    #expect(try reader.readToEnd().map { Array($0) } == before)
  }

  /// The list was dropped, and another one has its name.
  @Test func theHistoryOfAnotherListTakesThePlace() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    try await publication.publish(hasHistory: true)
    let other = try Publication()
    try await other.commit(try Snapshot.of("z").items)
    try FileManager.default.copyItem(at: publication.place, to: other.place)
    try await other.publish(hasHistory: false)
    #expect(try other.exportedIDs() == ["z"])
  }

  @Test func aFileOfSomebodyElseStays() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    try await publication.publish(hasHistory: false)
    let file = publication.place.appending(path: "history.db")
    try Data("mine".utf8).write(to: file)
    try await publication.commit(try Snapshot.of("b").items)
    try await publication.publish(hasHistory: false)
    await #expect(throws: (any Error).self) { try await publication.publish(hasHistory: true) }
    #expect(try publication.bytes("history.db") == Array("mine".utf8))
  }

  @Test func theHistoryGoesWithTheList() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    try await publication.publish(hasHistory: true)
    _ = try await publication.test.service.drop(DepartureRequest(list: .parks))
    try await publication.publish(hasHistory: true)
    #expect(try publication.historyFiles() == [])
  }
}

extension Publication {
  fileprivate func publish(hasHistory: Bool) async throws {
    _ = try await Publisher(test.service, folder: folder.path, hasHistory: hasHistory)
      .publish(.parks)
  }

  fileprivate func exportedIDs() throws -> [String] {
    try DatabaseQueue(path: place.appending(path: "history.db").path).read {
      try String.fetchAll($0, sql: "SELECT id FROM head WHERE list = 'parks' ORDER BY at_index")
    }
  }

  fileprivate func historyFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.path)
      .filter { $0.hasPrefix("history") }
  }
}
