import Foundation
import ListDocuments
import ListModel
import LocalFiles
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import Publishing

/// Publications, and what a client finds in them.
@Suite struct PublisherTests {
  @Test(arguments: [2, 3, 5])
  func fromEachVersionFilesLeadToTheHead(base: Int) async throws {
    var random = SeededRandom.forThisRun()
    let publication = try Publication(base: base)
    var items = try Snapshot.of((0..<400).map { "i\($0)" }).items
    var versions: [Snapshot] = []
    for number in 1...30 {
      try await publication.commit(items)
      let head = try await publication.test.service.state(of: ListRevision(.parks, .head))
      if head.version.number > versions.count { versions.append(try Snapshot(items)) }
      // Not each version is published at once.
      if number % 3 != 0 { _ = try await publication.publish() }
      items = try Publication.edited(items, &random)
    }
    _ = try await publication.publish()
    for (number, snapshot) in zip(1..., versions) {
      _ = try publication.caughtUp(from: snapshot, at: Version(number))
    }
    let whole = try publication.whole()
    let head = try publication.caughtUp(from: whole.snapshot, at: whole.to.version)
    #expect(head.version.number == versions.count)
    #expect(head.root == Root(of: try #require(versions.last)))
  }

  /// Former faults: an empty name, such as of a variable that is not set, was the root folder; a
  /// file in place of the folder was "NSCocoaErrorDomain error 512".
  @Test func emptyNameAndAFileAreNoFolderToPublishTo() async throws {
    let publication = try Publication()
    try await publication.commit(Snapshot.of("a").items)
    let file = publication.folder.appendingPathComponent("file")
    try Data("mine".utf8).write(to: file)
    for (folder, path, reason) in [
      ("", "", "the name is empty"), (file.path, "\(file.path)/parks", "Not a directory"),
      ("\(file.path)/a/b", "\(file.path)/a/b/parks", "Not a directory"),
    ] {
      await #expect(throws: FileError.cannotOpen(path: path, reason: reason)) {
        try await Publisher(publication.test.service, folder: folder).publish(.parks)
      }
    }
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    let deep = publication.folder.appendingPathComponent("new//folder/").path
    _ = try await Publisher(publication.test.service, folder: deep).publish(.parks)
    #expect(FileManager.default.fileExists(atPath: "\(deep)/parks/head.json"))
  }

  /// A former fault: a publication without a base began again with the standard one.
  @Test func publicationKeepsItsBaseUnlessAnotherIsAsked() async throws {
    let publication = try Publication(base: 4)
    try await publication.commit(Snapshot.of("a").items)
    _ = try await publication.publish()
    func publish(base: Int?) async throws {
      let old = try await publication.test.service.snapshot(of: .parks).snapshot.items
      try await publication.commit(old + Snapshot.of("x\(old.count)").items)
      _ = try await Publisher(
        publication.test.service, folder: publication.folder.path, base: base
      ).publish(.parks)
    }
    try await publish(base: nil)
    #expect(try publication.head().base == 4)
    try await publish(base: 3)
    #expect(try publication.head().base == 3)
    try await publish(base: nil)
    #expect(try publication.head().base == 3)
    try FileManager.default.removeItem(at: publication.place)
    try await publish(base: nil)
    #expect(try publication.head().base == Publisher.standardBase)
  }

  @Test func publishingAgainWritesOnlyWhatIsNew() async throws {
    var random = SeededRandom.forThisRun()
    let publication = try Publication()
    var items = try Snapshot.of((0..<2_000).map { "i\($0)" }).items
    for _ in 0..<20 {
      try await publication.commit(items)
      items = try Publication.edited(items, &random)
    }
    let first = try await publication.publish()
    #expect(first.writtenCount > 30)
    #expect(try await publication.publish().writtenCount == 0)
    let before = publication.files()
    var written = 0
    for _ in 0..<16 {
      try await publication.commit(items)
      written += try await publication.publish().writtenCount
      items = try Publication.edited(items, &random)
    }
    // Two for each version, and now and then the whole list.
    #expect(written <= 2 * 16 + 2, "\(written)")
    #expect(before.filter { $0.hasPrefix("delta/") }.isSubset(of: publication.files()))
  }

  @Test func whatWasPrunedIsRemoved() async throws {
    var random = SeededRandom.forThisRun()
    let publication = try Publication()
    var items = try Snapshot.of((0..<400).map { "i\($0)" }).items
    for _ in 0..<20 {
      try await publication.commit(items)
      items = try Publication.edited(items, &random)
    }
    _ = try await publication.publish()
    let service = publication.test.service
    _ = try await service.prune(.parks, keepLast: 5)
    let outcome = try await publication.publish()
    #expect(outcome.removedCount > 15 && outcome.writtenCount == 0)
    let head = try publication.head()
    #expect(head.oldest == Version(head.head.version.number - 4))
    let (state, snapshot) = try await service.snapshot(of: .parks, at: .version(head.oldest))
    _ = try publication.caughtUp(from: snapshot, at: state.version)
  }

  @Test func filesThatNoPublicationHasWrittenStay() async throws {
    let publication = try Publication()
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    for count in 90...100 { try await publication.commit(Array(items.prefix(count))) }
    _ = try await publication.publish()
    let names = [
      "delta-report.csv", "delta-mine/1.json", "delta/notes.txt", "delta/1/notes.txt",
      "delta/1/mine.json", "delta/1/1.json.txt", "whole/mine.json", "other/1/1.json",
    ]
    for name in names {
      let file = publication.place.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: file)
    }
    _ = try await publication.test.service.prune(.parks, keepLast: 2)
    #expect(try await publication.publish().removedCount > 5)
    _ = try await publication.test.service.drop(DepartureRequest(list: .parks))
    var request = CommitRequest(list: .parks, snapshot: try Snapshot(items))
    request.beginsAgain = true
    _ = try await publication.test.service.commit(request)
    for _ in 0..<2 { _ = try await publication.publish() }
    for name in names { #expect(try publication.bytes(name) == Array("mine".utf8), "\(name)") }
    #expect(!publication.files().contains { $0.hasPrefix("delta/1/11-") })
  }

  @Test func filesOfAnotherHistoryStayForOneMorePublication() async throws {
    let publication = try Publication()
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    for count in 90...100 { try await publication.commit(Array(items.prefix(count))) }
    _ = try await publication.publish()
    let old = publication.files()
    _ = try await publication.test.service.drop(DepartureRequest(list: .parks))
    var request = CommitRequest(list: .parks, snapshot: try Snapshot(Array(items.reversed())))
    request.beginsAgain = true
    _ = try await publication.test.service.commit(request)
    try await publication.commit(items)
    _ = try await publication.publish()
    #expect(try publication.head().head.version == Version(2))
    _ = try publication.caughtUp(from: Snapshot(Array(items.reversed())), at: Version(1))
    // A reader of the old head still finds its files; one publication later they are gone.
    let both = publication.files()
    #expect(old.isSubset(of: both))
    #expect(try await publication.publish().writtenCount == 0)
    #expect(publication.files() == both.subtracting(old).union(["head.json"]))
  }

  /// Former faults: the head of version 3 named the whole list of the abandoned version 4, and the
  /// deltas of both histories had one name.
  @Test func storeThatIsRestoredTwiceLeadsToItsOwnVersions() async throws {
    let publication = try Publication()
    for names in [["a"], ["a", "b"], ["a", "b", "c"]] {
      try await publication.commit(try Snapshot.of(names).items)
    }
    _ = try await publication.publish()
    let backup = publication.folder.appendingPathComponent("backup.db").path
    _ = try await Backup(of: publication.test.store, to: backup).run()
    var bytes: [String: [UInt8]] = [:]
    for name in ["A", "B", "A", "C"] {
      let restored = try TestStore(copying: backup)
      let publisher = Publisher(restored.service, folder: publication.folder.path)
      let snapshot = try Snapshot.of("a", "b", "c", name)
      _ = try await restored.service.commit(CommitRequest(list: .parks, snapshot: snapshot))
      _ = try await publisher.publish(.parks)
      for file in publication.files() where file != "head.json" {
        let content = try publication.bytes(file)
        #expect(bytes[file] == nil || bytes[file] == content, "\(file)")
        bytes[file] = content
      }
      _ = try publication.caughtUp(from: try Snapshot.of("a", "b"), at: Version(2))
      _ = try await publication.publish()
      let whole = try publication.whole()
      let head = try publication.caughtUp(from: whole.snapshot, at: whole.to.version)
      #expect(head.version == Version(3) && whole.to.version <= Version(3))
    }
  }

  @Test func whatAnInterruptedPublicationLeftIsWrittenAgain() async throws {
    let publication = try Publication()
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    for count in 90...95 { try await publication.commit(Array(items.prefix(count))) }
    _ = try await publication.publish()
    let head = try publication.bytes("head.json")
    try await publication.commit(Array(items.prefix(96)))
    _ = try await publication.publish()
    // The head was not written, and the disk lost what the files had.
    let name = PublicationHead.file(
      of: PublishedRange(base: 2, level: 0, index: 6),
      to: try publication.head().head.knownCursor)
    let file = publication.place.appendingPathComponent(name)
    let right = try publication.bytes(name)
    try Data("lost".utf8).write(to: file)
    try Data("half".utf8).write(to: file.appendingPathExtension("partial"))
    try Data(head).write(to: publication.place.appendingPathComponent("head.json"))
    _ = try await publication.publish()
    #expect(try publication.bytes(name) == right)
    #expect(publication.files().allSatisfy { $0.hasSuffix(".json") })
  }

  @Test func anotherBaseLeadsToTheHead() async throws {
    let publication = try Publication(base: 2)
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    for count in 90...100 { try await publication.commit(Array(items.prefix(count))) }
    _ = try await publication.publish()
    for base in [3, 2, 3] {
      let publisher = Publisher(
        publication.test.service, folder: publication.folder.path, base: base)
      _ = try await publisher.publish(.parks)
      #expect(try publication.head().base == base)
      _ = try publication.caughtUp(
        from: Snapshot(Array(items.prefix(91))), at: Version(2))
    }
  }

  /// Web servers make a tag of the length and the whole seconds.
  @Test func eachHeadHasALaterSecond() async throws {
    let publication = try Publication()
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    var last = Date.distantPast
    for count in 90...95 {
      try await publication.commit(Array(items.prefix(count)))
      _ = try await publication.publish()
      for ending in ["", ".gz"] {
        let path = publication.place.appendingPathComponent("head.json\(ending)").path
        let time = try #require(
          try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        #expect(time.timeIntervalSince(last) >= 0.999, "\(count)")
        if ending == ".gz" {
          last = Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
        }
      }
    }
  }

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
    try await fixture.board.refresh()
    let task = Task {
      try await publisher.publishLists(of: fixture.board, every: .zero) { list, error in
        Issue.record("\(list): \(error)")
      }
    }
    try await eventually("what left before is withdrawn") { isGone(.films) }
    #expect(!isGone(.parks))
    _ = try await fixture.test.service.drop(DepartureRequest(list: .parks))
    try await fixture.board.refresh()
    try await eventually("what leaves is withdrawn") { isGone(.parks) }
    task.cancel()
    _ = await task.result
  }

  @Test func listsArePublishedAfterEachCommitWhileABoardRuns() async throws {
    let publication = try Publication()
    try await publication.commit(try Snapshot.of("a").items)
    let service = publication.test.service
    let board = HeadBoard(service: service, interval: .milliseconds(1))
    let publisher = Publisher(service, folder: publication.folder.path)
    let tasks = [
      Task { try await board.run() },
      Task {
        try await publisher.publishLists(of: board, every: .milliseconds(1)) { list, error in
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
    let board = HeadBoard(service: publication.test.service)
    try await board.refresh()
    struct Ended: Error {}
    let publisher = Publisher(publication.test.service, folder: publication.folder.path)
    await #expect(throws: Ended.self) {
      try await publisher.publishLists(of: board) { _, error in
        throw error
      } onOutcome: { _ in
        throw Ended()
      }
    }
  }
}
