import Foundation
import ListDocuments
import ListModel
import LocalFiles
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import Publishing

/// The files of a publication, and where they lead a client.
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

  /// A former fault: each delta was read in transactions of its own, which read the same blocks.
  @Test func aTransactionReadsManyDeltas() async throws {
    let publication = try Publication()
    for number in 0..<300 { try await publication.commit(Snapshot.of("a=\(number)", "b").items) }
    _ = try await publication.test.service.compact(.parks)
    let store = WatchedStore(publication.test.store)
    let service = SyncService(store: store) { TestStore.noon }
    let publisher = Publisher(service, folder: publication.folder.path)
    let outcome = try await publisher.publish(.parks)
    #expect(outcome.writtenCount == 300)
    #expect(store.counts.reads < 40, "\(store.counts.reads) transactions")
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
}
