import Foundation
import ListDocuments
import ListModel
import Publishing
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@testable import SyncClient

/// Replicas that follow a publication.
@Suite struct FollowingTests {
  @Test(arguments: [2, 3])
  func replicasOfAllVersionsCatchUp(base: Int) async throws {
    let list = try await Followed(base: base)
    try await list.commit(30)
    _ = try await list.publication.publish()
    for copy in list.versions {
      let (reached, _) = try await list.caughtUp(from: copy)
      #expect(reached == list.head, "from version \(copy.cursor.version)")
    }
  }

  @Test func fewRequestsLeadToTheHead() async throws {
    let list = try await Followed(count: 3000)
    try await list.commit(70)
    _ = try await list.publication.publish()
    try await list.caughtUp(from: list.versions[6])
    #expect(
      await list.transport.requests == [
        "/parks/head.json", "/parks/\(list.delta(2, to: 70))", "/parks/\(list.delta(4, to: 68))",
        "/parks/\(list.delta(32, to: 64))", "/parks/\(list.delta(16, to: 32))",
        "/parks/\(list.delta(8, to: 16))", "/parks/\(list.delta(2, to: 8))",
      ])
    await list.transport.forgetRequests()
    try await list.caughtUp(from: list.head)
    #expect(await list.transport.requests == ["/parks/head.json"])
  }

  @Test func replicaWithoutACopyTakesTheWholeListAndTheDeltasBehindIt() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    try await list.commit(2)
    _ = try await list.publication.publish()
    let (copy, reasons) = try await list.caughtUp()
    #expect(copy == list.head && reasons == [.wholeList(.first)])
    let requests = await list.transport.requests
    #expect(requests[1].hasPrefix("/parks/whole/3-") && requests.count == 4, "\(requests)")
  }

  @Test func resumedReplicaAsksForTheHeadAgain() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    let session = list.session(from: list.versions[2])
    try await session.start()
    try await session.settle()
    #expect(await session.copy == list.head)
    try await list.commit(2)
    _ = try await list.publication.publish()
    await session.resume()
    try await session.settle()
    #expect(await session.copy == list.head)
  }

  @Test func manyChangesAreTakenAsTheWholeList() async throws {
    let list = try await Followed(count: 10)
    try await list.commit(200)
    _ = try await list.publication.publish()
    let (copy, reasons) = try await list.caughtUp(from: list.versions[1])
    #expect(copy == list.head && reasons == [.wholeList(.smaller)])
    #expect(await list.transport.requests.contains { $0.hasPrefix("/parks/whole/") })
  }

  @Test func prunedVersionStartsOver() async throws {
    let list = try await Followed()
    try await list.commit(10)
    _ = try await list.publication.test.service.prune(.parks, keepLast: 3)
    _ = try await list.publication.publish()
    let (copy, reasons) = try await list.caughtUp(from: list.versions[5])
    #expect(copy == list.head && reasons == [.wholeList(.tooOld)])
  }

  @Test func otherHistoryStartsOver() async throws {
    let list = try await Followed()
    try await list.commit(6)
    _ = try await list.publication.publish()
    let other = try await Followed(count: 401)
    try await other.commit(8)
    _ = try await other.publication.publish()
    // Of a later version, of the same version and of an earlier one.
    for version in [3, 6, 8] {
      let (copy, reasons) = try await list.caughtUp(from: other.versions[version])
      #expect(copy == list.head && reasons == [.wholeList(.diverged)], "\(version)")
    }
  }

  @Test func staleHeadIsTriedAgainAndThenStartsOver() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    await list.transport.freeze()
    let old = try await list.caughtUp().copy
    try await list.commit(3)
    _ = try await list.publication.publish()
    await list.transport.forgetRequests()
    // The cache gives the head of version 3 to a copy of version 6.
    let (copy, reasons) = try await list.caughtUp(from: list.head)
    #expect(copy == old && reasons == [.wholeList(.diverged)])
    #expect(await list.transport.requests.count { $0 == "/parks/head.json" } == 4)
    await list.transport.thaw()
    #expect(try await list.caughtUp(from: copy).copy == list.head)
  }

  @Test func missingFileIsTriedAgainAndThenStartsOver() async throws {
    let list = try await Followed()
    try await list.commit(9)
    _ = try await list.publication.publish()
    let path = "/parks/\(list.delta(to: 6))"
    await list.transport.replace(path, nil)
    let (copy, reasons) = try await list.caughtUp(from: list.versions[5])
    #expect(copy == list.head && reasons == [.wholeList(.tooOld)])
    #expect(await list.transport.requests.count { $0 == path } == 3)
  }

  private static let page = ReplicaResponse(
    status: 200, headers: ["Content-Type": "text/html; charset=ISO-8859-1"],
    body: [0x3C, 0x68, 0x31, 0xE9])

  @Test func pageInPlaceOfAFileIsTriedAgainWithANewHead() async throws {
    let list = try await Followed()
    try await list.commit(9)
    _ = try await list.publication.publish()
    await list.transport.plan("/parks/\(list.delta(to: 6))", Self.page, Self.page, Self.page)
    let (copy, reasons) = try await list.caughtUp(from: list.versions[5])
    #expect(copy == list.head && reasons == [.changes])
    #expect(await list.transport.requests.count { $0 == "/parks/head.json" } == 4)
  }

  @Test func fileThatHasNotChangedSinceNothingIsAskedForAgain() async throws {
    let list = try await Followed()
    try await list.commit(9)
    _ = try await list.publication.publish()
    for path in ["/parks/head.json", "/parks/\(list.delta(to: 6))"] {
      await list.transport.plan(path, ReplicaResponse(status: 304))
      let (copy, reasons) = try await list.caughtUp(from: list.versions[5])
      #expect(copy == list.head && reasons == [.changes], "\(path)")
    }
  }

  @Test func pageAtTheStartMayHideAPublication() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    await list.transport.plan("/parks/head.json", Self.page, Self.page)
    #expect(try await list.caughtUp().copy == list.head)
    await list.transport.plan("/parks/head.json", Self.page, Self.page, Self.page, Self.page)
    let cause = Unavailability.notFromServer(contentType: "text/html; charset=ISO-8859-1")
    await #expect(throws: ReplicaError.gaveUp(tryCount: 4, cause)) { try await list.caughtUp() }
  }

  @Test func prunedWhileItCatchesUpTakesTheNextHead() async throws {
    let list = try await Followed()
    try await list.commit(9)
    _ = try await list.publication.publish()
    await list.transport.replace(
      "/parks/head.json", try list.publication.bytes("head.json"))
    _ = try await list.publication.test.service.prune(.parks, keepLast: 2)
    _ = try await list.publication.publish()
    let session = list.session(from: list.versions[3], tryLimit: nil)
    try await session.start()
    while await list.transport.requests.count < 2 { await Task.yield() }
    await list.transport.thaw()
    try await session.settle()
    #expect(await session.copy == list.head)
  }

  /// A cache gives such files, or the web server itself.
  @Test func wrongFileIsAskedForOncePastTheCacheAndThenStartsOver() async throws {
    let list = try await Followed()
    try await list.commit(9)
    _ = try await list.publication.publish()
    let file = list.delta(to: 6)
    let right = try list.publication.bytes(file)
    let wrong = [
      Array("{".utf8), [], Array(right.dropLast(9)),
      try list.publication.bytes(list.delta(to: 7)),
      try list.publication.bytes(list.delta(2, to: 6)),
    ]
    for bytes in wrong {
      for isOfCache in [true, false] {
        await list.transport.thaw()
        await list.transport.forgetRequests()
        await list.transport.replace("/parks/\(file)", bytes, isOfCache: isOfCache)
        let (copy, reasons) = try await list.caughtUp(from: list.versions[5])
        #expect(copy == list.head)
        #expect((reasons == [.changes]) == isOfCache)
        #expect(await list.transport.requests.count { $0 == "/parks/\(file)" } == 2)
      }
    }
  }

  @Test func wrongWholeListIsAskedForOncePastTheCache() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    let whole = try #require(try list.publication.head().whole).file
    let other = try await Followed(count: 401)
    try await other.commit(3)
    _ = try await other.publication.publish()
    let wrong = try other.publication.bytes(try #require(try other.publication.head().whole).file)
    for bytes in [wrong, Array("{".utf8), try list.publication.edited(whole, "\"i7", "\"i_")] {
      await list.transport.replace("/parks/\(whole)", bytes, isOfCache: true)
      #expect(try await list.caughtUp().copy == list.head)
      await list.transport.replace("/parks/\(whole)", bytes)
      await #expect(throws: ReplicaError.self) { try await list.caughtUp() }
    }
  }

  /// Such a head named a whole list of an abandoned version.
  @Test func headThatContradictsItselfIsBehind() async throws {
    let list = try await Followed()
    try await list.commit(5)
    _ = try await list.publication.publish()
    let whole = try #require(try list.publication.head().whole)
    let other = try await Followed(count: 401)
    try await other.commit(7)
    _ = try await other.publication.publish()
    let head = try other.publication.head()
    try Data(list.publication.bytes(whole.file)).write(
      to: other.publication.place.appendingPathComponent(whole.file))
    let wrong = PublicationHead(
      list: .parks, head: head.head, oldest: head.oldest, base: 2, levels: head.levels,
      whole: .init(whole.state, file: whole.file, byteCount: 1))
    await other.transport.replace("/parks/head.json", wrong.encoded())
    // Starting over does not help.
    let session = other.session()
    try await session.start()
    let error = await #expect(throws: ReplicaError.self) { try await session.settle() }
    #expect("\(try #require(error))".contains("not of the history of its whole list"))
    #expect(await session.copy == list.versions[5])
  }

  /// A cache has the head of a former history, whose files the web server no longer has.
  @Test(arguments: [false, true])
  func headOfAFormerHistoryWhoseFilesAreGoneIsBehind(hasCopy: Bool) async throws {
    let (former, list) = (try await Followed(), try await Followed(count: 401))
    for one in [former, list] {
      try await one.commit(3)
      _ = try await one.publication.publish()
    }
    await list.transport.replace("/parks/head.json", try former.publication.bytes("head.json"))
    let copy = hasCopy ? list.head : .empty
    let session = list.session(from: copy)
    try await session.start()
    let error = await #expect(throws: ReplicaError.self) { try await session.settle() }
    guard case .gaveUp(_, .behind) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(await session.copy == copy)
  }

  /// A head may promise more versions, levels and bytes than there can be.
  @Test func hostileHeadIsReadInBoundedTime() async throws {
    let list = try await Followed(count: 20)
    try await list.commit(4)
    _ = try await list.publication.publish()
    let whole = try #require(try list.publication.head().whole)
    let snapshot = list.head.snapshot
    let header = VersionHeader(
      version: Version(1 << 48), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
      root: Root(of: snapshot), previous: .zero)
    let far = ListState(header, count: snapshot.items.count)
    for (base, levelCount, byteCount) in [(2, 1, 1 << 53), (65_536, 100, 1 << 53), (2, 100, 0)] {
      let head = PublicationHead(
        list: .parks, head: far, oldest: Version(1), base: base,
        levels: Array(repeating: .init(count: 1, byteCount: byteCount), count: levelCount),
        whole: .init(whole.state, file: whole.file, byteCount: 1 << 53))
      await list.transport.replace("/parks/head.json", head.encoded())
      for copy in [.empty, list.versions[2]] {
        let session = list.session(from: copy, tryLimit: 2)
        try await session.start()
        await #expect(throws: ReplicaError.self) { try await session.settle() }
      }
    }
    let ranges = PublishedRanges(base: 65_536, levelCount: 100)
    #expect(ranges.next(after: Version(1 << 48), upTo: Version(.max))?.level == 3)
  }

  @Test func invalidMaxAgeIsIgnored() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    for age in ["nan", "inf", "-5", "1e400", "99999999999999999999", "x"] {
      await list.transport.set(["Cache-Control": "max-age=\(age)", "Age": age])
      await list.transport.replace("/parks/\(list.delta(to: 3))", nil)
      let (copy, _) = try await list.caughtUp(from: list.versions[2])
      #expect(copy == list.head)
    }
  }

  @Test func headOfAnotherListIsRefused() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    let head = String(decoding: try list.publication.bytes("head.json"), as: UTF8.self)
    await list.transport.replace(
      "/parks/head.json",
      Array(head.replacing("\"list\":\"parks\"", with: "\"list\":\"films\"").utf8))
    await #expect(throws: ReplicaError.mismatchAgain(.otherList(ListName("films")!))) {
      try await list.caughtUp(from: list.versions[2])
    }
  }

  @Test func publicationThatIsNotThereIsNoList() async throws {
    let list = try await Followed()
    await #expect(throws: ReplicaError.noSuchList(.parks, detail: nil)) {
      try await list.caughtUp()
    }
    #expect(await list.transport.requests.count == 2)
  }

  @Test func provedHistoryIsReadFromTheStepsOfOneVersion() async throws {
    let list = try await Followed()
    try await list.commit(12)
    _ = try await list.publication.publish()
    let (copy, reasons) = try await list.caughtUp(from: list.versions[3], proves: true)
    #expect(copy == list.head && reasons == [.changes])
    let other = try await Followed(count: 401)
    try await other.commit(5)
    await #expect(throws: ReplicaError.self) {
      try await list.caughtUp(from: other.versions[5], proves: true)
    }
  }

  @Test func replicaOfAListThatIsGoneKeepsItsCopy() async throws {
    let list = try await Followed()
    try await list.commit(5)
    _ = try await list.publication.publish()
    let copy = try await list.caughtUp().copy
    let service = list.publication.test.service
    let forests = try #require(ListName("forests"))
    _ = try await service.rename(DepartureRequest(list: .parks), to: forests)
    _ = try await Publisher(service, folder: list.publication.folder.path)
      .publish(.parks, beside: [forests].contains)
    for start in [.empty, list.versions[2], copy] {
      await #expect(throws: ReplicaError.gone(.parks, newName: forests, detail: nil)) {
        try await list.caughtUp(from: start)
      }
    }
  }

  @Test func watchAsksAgainWhenTheHeadsLifetimeIsOver() async throws {
    let list = try await Followed()
    try await list.commit(3)
    _ = try await list.publication.publish()
    await list.transport.set(["Cache-Control": "public, max-age=60", "Age": "20"])
    let time = SimulatedTime()
    let session = list.session(watches: true, clock: time.clock)
    try await session.start()
    while await session.copy != list.head { await Task.yield() }
    while await list.transport.unchangedCount < 3 { await Task.yield() }
    #expect(time.waits.prefix(3).allSatisfy { (40...44).contains($0) }, "\(time.waits)")
    try await list.commit()
    _ = try await list.publication.publish()
    while await session.copy != list.head { await Task.yield() }
    await session.stop()
  }
}

/// A clock whose waits take no real time.
private final class SimulatedTime: @unchecked Sendable {
  private let lock = NSLock()
  private var now = 0.0
  private var all: [Double] = []

  var waits: [Double] { lock.withLock { all } }

  var clock: ReplicaClock {
    ReplicaClock {
      self.lock.withLock { self.now }
    } sleep: { seconds in
      self.lock.withLock {
        self.now += seconds
        self.all.append(seconds)
      }
      try await Task.sleep(for: .milliseconds(1))
    } random: {
      0.5
    }
  }
}
