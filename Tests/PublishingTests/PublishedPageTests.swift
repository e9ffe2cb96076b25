import Foundation
import ListDocuments
import ListModel
import StoreTestSupport
import SyncService
import Testing

@testable import Publishing

/// The page and the feed of a publication.
@Suite struct PublishedPageTests {
  @Test func pageAndFeedShowTheNewestVersion() async throws {
    let publication = try Publication()
    for (name, message) in [("a", "<Spring> & \u{1}more"), ("b", nil)] {
      var request = CommitRequest(list: .parks, snapshot: try Snapshot.of(name))
      (request.author, request.message) = ("Ann", message)
      _ = try await publication.test.service.commit(request)
      _ = try await publication.publish()
    }
    let feed = String(decoding: try publication.bytes("feed.xml"), as: UTF8.self)
    #expect(feed.contains("<title>&lt;Spring&gt; &amp; \u{FFFD}more</title>"))
    #expect(feed.contains(try publication.head().head.knownCursor.description))
    let page = String(decoding: try publication.bytes("index.html"), as: UTF8.self)
    #expect(page.contains("bundle") && page.hasPrefix("<!doctype html>"))
  }

  /// Former faults: a title was a whole message of many lines, or empty; "1 items".
  @Test func titlesOfAFeedAreLines() async throws {
    let publication = try Publication()
    let messages = ["Spring\n\nIt was cold.", "", nil, "\n \n  Late spring  \nmore", "  "]
    for (number, message) in messages.enumerated() {
      var request = CommitRequest(list: .parks, snapshot: try Snapshot.of("i\(number)"))
      request.message = message
      _ = try await publication.test.service.commit(request)
    }
    _ = try await publication.publish()
    #expect(
      try publication.feed("title") == [
        "parks", "Version 5", "Late spring", "Version 3", "Version 2", "Spring",
      ])
    #expect(try publication.feed("content").last == "Spring\n\nIt was cold.")
    #expect(
      try publication.feed("summary").first == "1 removed, 0 moved, 1 inserted, 0 updated; 1 item")
  }

  /// A former fault: all entries had the link of the page.
  @Test func everyEntryOfAFeedLinksToItsOwnChanges() async throws {
    let publication = try Publication()
    for count in 1...60 {
      try await publication.commit(try Snapshot.of((0..<count).map { "i\($0)" }).items)
    }
    _ = try await publication.publish()
    func links() throws -> [String] {
      String(decoding: try publication.bytes("feed.xml"), as: UTF8.self)
        .matches(of: #/type="text/html" href="([^"]*)"/#).map { String($0.1) }
    }
    let diffs = (11...60).reversed().map { "index.html#/parks/diff/\($0 - 1)..\($0)" }
    #expect(try links() == ["index.html"] + diffs)
    // The page begins with the oldest version, which it does not compare.
    _ = try await publication.test.service.prune(.parks, keepLast: 3)
    _ = try await publication.publish()
    #expect(
      try links() == [
        "index.html", "index.html#/parks/diff/59..60", "index.html#/parks/diff/58..59",
        "index.html#/parks/at/58",
      ])
    let file = publication.place.appendingPathComponent("index.html")
    try Data("mine".utf8).write(to: file)
    try await publication.commit(try Snapshot.of("a").items)
    _ = try await publication.publish()
    #expect(try links() == ["index.html"])
  }

  /// Former faults: the lists of all publishers with one name had one id; after a commit with an
  /// earlier date, the feed was older than before.
  @Test func feedKeepsItsIDAndNeverGoesBack() async throws {
    let (publication, other) = (try Publication(), try Publication())
    var ids: Set<String> = []
    for (number, one) in [publication, other].enumerated() {
      try await one.commit(try Snapshot.of("i\(number)").items)
      _ = try await one.publish()
      ids.insert(try one.feed("id")[0])
    }
    #expect(ids.count == 2)
    let (id, updated) = (try publication.feed("id")[0], try publication.feed("updated")[0])
    for number in 2...60 {
      var request = CommitRequest(list: .parks, snapshot: try Snapshot.of("i\(number)"))
      request.time = Timestamp(millisecondsSince1970: Int64(number) * 1000)
      request.allowsEarlierTime = true
      _ = try await publication.test.service.commit(request)
      if number % 20 == 0 {
        _ = try await publication.test.service.prune(.parks, keepLast: 30)
        _ = try await publication.publish()
      }
    }
    #expect(try publication.feed("id")[0] == id && publication.feed("updated")[0] == updated)
    #expect(try publication.feed("updated")[1] == "1970-01-01T00:01:00Z")
  }

  /// A former fault: there was no page, and the feed had links to it.
  @Test func pageOfALongHistoryHasItsNewestPart() async throws {
    let publication = try Publication()
    var items = try Snapshot.of((0..<20).map { "i\($0)" }).items
    for number in 1...100 {
      items[number % 20] = try Snapshot.of("i\(number % 20)=\(number)").items[0]
      try await publication.commit(items)
    }
    func publish(byteLimit: Int) async throws -> (hasPage: Bool, links: [String]) {
      try? FileManager.default.removeItem(at: publication.place)
      let publisher = Publisher(
        publication.test.service, folder: publication.folder.path, base: 2, signer: nil,
        pageByteLimit: byteLimit)
      let outcome = try await publisher.publish(.parks)
      let feed = String(decoding: try publication.bytes("feed.xml"), as: UTF8.self)
      return (outcome.hasPage, feed.matches(of: #/href="(index[^"]*)"/#).map { String($0.1) })
    }
    let whole = try await publish(byteLimit: 1_000_000)
    #expect(whole.hasPage && whole.links.count == 51)
    let part = try await publish(byteLimit: 10_000)
    #expect(part.hasPage && (5...50).contains(part.links.count), "\(part.links.count) links")
    #expect(part.links.dropFirst().first == "index.html#/parks/diff/99..100")
    #expect(part.links.last?.hasPrefix("index.html#/parks/at/") ?? false)
    let page = String(decoding: try publication.bytes("index.html"), as: UTF8.self)
    #expect(page.contains(#""oldest":1,"#))
    let none = try await publish(byteLimit: 1_000)
    #expect(!none.hasPage && none.links == [])
    #expect(!FileManager.default.fileExists(atPath: publication.place.path + "/index.html"))
  }

  @Test func pageOfSomebodyElseStays() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    _ = try await publication.publish()
    let place = publication.place.appendingPathComponent("index.html")
    try Data("mine".utf8).write(to: place)
    try await publication.commit(try Snapshot.of("a", "b").items)
    _ = try await publication.publish()
    #expect(try publication.bytes("index.html") == Array("mine".utf8))
  }
}
