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
  /// A store, and the folder that its list is published to.
  private final class Publication {
    let test: TestStore
    let folder: URL
    let base: Int

    init(base: Int = 2) throws {
      (test, folder, self.base) = (try TestStore(), try TemporaryFolder.make(), base)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var place: URL { folder.appendingPathComponent("parks") }

    func commit(_ items: [Item]) async throws {
      _ = try await test.service.commit(
        CommitRequest(list: .parks, snapshot: try Snapshot(items)))
    }

    func publish() async throws -> Publisher.Outcome {
      try await Publisher(test.service, folder: folder.path, base: base).publish(.parks)
    }

    func bytes(_ file: String) throws -> [UInt8] {
      Array(try Data(contentsOf: place.appendingPathComponent(file)))
    }

    func head() throws -> PublicationHead { try PublicationHead(bytes("head.json")) }

    /// All files below the folder, without the compressed ones.
    func files() -> Set<String> {
      let all = FileManager.default.enumerator(atPath: place.path)?.allObjects ?? []
      return Set(
        all.compactMap { $0 as? String }.filter { $0.contains(".json") && !$0.hasSuffix(".gz") })
    }

    /// The list to which the deltas lead from a version of it.
    func caughtUp(from snapshot: Snapshot, at version: Version) throws -> ListState {
      let head = try head()
      var list = ProvenList<[Item]>(snapshot)
      for range in head.ranges.way(from: version, to: head.head.version) {
        let document = try DeltaDocument(bytes(head.file(of: range)))
        #expect(document.from.version == range.start && document.to.version == range.end)
        try list.apply(document)
      }
      #expect(list.root == head.head.root)
      return head.head
    }

    func whole() throws -> SnapshotDelta {
      try SnapshotDelta(bytes(try #require(try head().whole).file))
    }
  }

  /// The next version of a list: updates, moves, insertions and removals.
  private func edited(_ items: [Item], _ random: inout SeededRandom) throws -> [Item] {
    var items = items
    for _ in 0..<random.number(1...3) {
      switch random.number(0...3) {
      case 0 where items.count > 5: items.remove(at: random.number(0...items.count - 1))
      case 1:
        let new = try Snapshot.of("new\(random.number(0...1 << 30))").items[0]
        items.insert(new, at: random.number(0...items.count))
      case 2: items.append(items.remove(at: random.number(0...items.count - 1)))
      default:
        let index = random.number(0...items.count - 1)
        items[index] = try Snapshot.of("\(items[index].id.text)=\(random.number(1...99))").items[0]
      }
    }
    return items
  }

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
      items = try edited(items, &random)
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

  @Test func publishingAgainWritesOnlyWhatIsNew() async throws {
    var random = SeededRandom.forThisRun()
    let publication = try Publication()
    var items = try Snapshot.of((0..<2_000).map { "i\($0)" }).items
    for _ in 0..<20 {
      try await publication.commit(items)
      items = try edited(items, &random)
    }
    let first = try await publication.publish()
    #expect(first.writtenCount > 30)
    #expect(try await publication.publish().writtenCount == 0)
    let before = publication.files()
    var written = 0
    for _ in 0..<16 {
      try await publication.commit(items)
      written += try await publication.publish().writtenCount
      items = try edited(items, &random)
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
      items = try edited(items, &random)
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
      "delta-report.csv", "delta-mine/1.json", "delta/notes.txt", "delta/0/notes.txt",
      "delta/0/mine.json", "delta/0/1.json.txt", "whole/mine.json", "other/0/1.json",
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
    #expect(!publication.files().contains("delta/0/10.json"))
  }

  @Test func anotherHistoryGetsAFolderOfItsOwn() async throws {
    let publication = try Publication()
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    for count in 90...100 { try await publication.commit(Array(items.prefix(count))) }
    _ = try await publication.publish()
    let old = try publication.head()
    _ = try await publication.test.service.drop(DepartureRequest(list: .parks))
    await #expect(throws: ServiceError.self) { try await publication.publish() }
    #expect(try publication.head() == old)
    var request = CommitRequest(list: .parks, snapshot: try Snapshot(Array(items.reversed())))
    request.beginsAgain = true
    _ = try await publication.test.service.commit(request)
    try await publication.commit(items)
    _ = try await publication.publish()
    let new = try publication.head()
    #expect(new.folder != old.folder && new.head.version == Version(2))
    _ = try publication.caughtUp(from: Snapshot(Array(items.reversed())), at: Version(1))
    // A reader of the old head still finds its deltas; one publication later they are gone.
    let file = old.file(of: PublishedRange(base: 2, level: 0, index: 3))
    #expect(publication.files().contains(file))
    _ = try await publication.publish()
    #expect(!publication.files().contains(file))
  }

  @Test func whatAnInterruptedPublicationLeftIsWrittenAgain() async throws {
    let publication = try Publication()
    let items = try Snapshot.of((0..<100).map { "i\($0)" }).items
    for count in 90...95 { try await publication.commit(Array(items.prefix(count))) }
    _ = try await publication.publish()
    let head = try publication.bytes("head.json")
    try await publication.commit(Array(items.prefix(96)))
    _ = try await publication.publish()
    // The head was not written, and the store was restored to another history.
    let file = publication.place.appendingPathComponent("delta/0/6.json")
    let right = try publication.bytes("delta/0/6.json")
    try Data("of another history".utf8).write(to: file)
    try Data("half".utf8).write(
      to: publication.place.appendingPathComponent("delta/0/7.json.partial"))
    try Data(head).write(to: publication.place.appendingPathComponent("head.json"))
    _ = try await publication.publish()
    #expect(try publication.bytes("delta/0/6.json") == right)
    #expect(publication.files().allSatisfy { $0.hasSuffix(".json") })
  }
}
