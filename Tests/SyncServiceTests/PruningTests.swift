import GRDB
import ListChanges
import ListModel
import StoreTestSupport
import SyncService
import Testing

@testable import ListStore
@testable import SQLiteStore

@Suite struct PruningTests {
  private func committing(
    _ versions: [[String]], daysAgo: [Int]? = nil
  ) async throws -> TestStore {
    let test = try TestStore()
    for (number, texts) in versions.enumerated() {
      var request = CommitRequest(list: .parks, snapshot: try .of(texts))
      request.allowsEarlierTime = true
      request.time = daysAgo.map { days in
        let age = Int64(days[number]) * 86_400_000
        return Timestamp(millisecondsSince1970: TestStore.noon.millisecondsSince1970 - age)
      }
      _ = try await test.service.commit(request)
    }
    return test
  }

  private static let five = [["a"], ["a", "b"], ["b"], ["b", "c"], ["c", "b=1"]]

  /// Every row of the store, to check that nothing changed.
  private func contents(of test: TestStore) async throws -> [String] {
    try await test.store.read { reader in
      let db = try #require(reader.database)
      return try [
        "lists", "versions", "segments", "blocks", "checkpoints", "change_sets", "tags", "prunes",
      ]
      .flatMap { try Row.fetchAll(db, sql: "SELECT * FROM \($0)").map(\.description) }
    }
  }

  @Test func versionsBelowTheFloorAreTooOldAndOthersAnswer() async throws {
    let test = try await committing(Self.five)
    let outcome = try await test.service.prune(keepLast: 3)
    #expect(outcome.plan.floor == Version(3))
    for version in 1...2 {
      let refusal = ServiceError.tooOld(
        "\(version)", list: .parks, oldest: Version(3), head: Version(5))
      await #expect(throws: refusal) {
        try await test.service.snapshot(of: .parks, at: .version(Version(version)))
      }
      await #expect(throws: refusal) {
        try await test.service.delta(of: .parks, since: .version(Version(version)))
      }
      await #expect(throws: refusal) {
        try await test.service.delta(of: .parks, since: .head, to: .head(back: 5 - version))
      }
    }
    for version in 3...5 {
      let snapshot = try await test.service.snapshot(of: .parks, at: .version(Version(version)))
      #expect(snapshot.snapshot == (try Snapshot.of(Self.five[version - 1])))
      let delta = try await test.service.delta(of: .parks, since: .version(Version(version)))
      #expect(delta.oldest == Version(3))
    }
    let all = try await test.service.delta(of: .parks, since: .version(.zero))
    #expect(all.changes.inserted.map(\.element.id) == ["c", "b"])
  }

  @Test func pruningIsRecordedInTheStore() async throws {
    let test = try await committing(Self.five)
    let chain = try await test.service.log(of: .parks)[2].chain
    var request = PruneRequest(
      list: .parks, rule: try #require(RetentionRule(keepLast: 3)))
    request.author = "ranger"
    let record = try #require(try await test.service.prune(request).record)
    #expect(
      record
        == PruneRecord(
          oldOldest: Version(1), newOldest: Version(3), prunedAt: TestStore.noon,
          author: "ranger", rule: "keep-last 3", chain: chain))
    #expect(try await test.service.prunes(of: .parks) == [record])
    let next = try #require(try await test.service.prune(keepLast: 1).record)
    #expect(next.oldOldest == Version(3) && next.newOldest == Version(5) && next.author == nil)
    #expect(try await test.service.prunes(of: .parks) == [next, record])
    #expect(try await test.service.log(of: .parks).map(\.version.number) == [5])
  }

  @Test func repeatedPruningChangesNothingAndIsNotRecorded() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 3)
    let before = try await contents(of: test)
    let again = try await test.service.prune(keepLast: 3)
    #expect(again.record == nil && again.plan.removed == nil)
    try await test.service.prune(keepLast: 9)
    #expect(try await contents(of: test) == before)
  }

  @Test func prunePlanChangesNoStoredRow() async throws {
    let test = try await committing(Self.five)
    let before = try await contents(of: test)
    let request = PruneRequest(list: .parks, rule: try #require(RetentionRule(keepLast: 2)))
    let plan = try await test.service.prunePlan(request)
    #expect(try await contents(of: test) == before)
    #expect(try await test.service.prune(request).plan == plan)
    #expect(plan.removed == Version(1)...Version(3))
  }

  @Test func pruningAListWithoutVersionsDoesNothing() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: .empty))
    #expect(try await test.service.prune(keepLast: 1).record == nil)
  }

  @Test func pruningByAgeCountsFromTheClock() async throws {
    let test = try await committing(Self.five, daysAgo: [400, 90, 40, 20, 1])
    let rule = RetentionRule(keepWithin: RetentionPeriod("30d"))
    _ = try await test.service.prune(PruneRequest(list: .parks, rule: try #require(rule)))
    // Version 3 was still the newest one 30 days ago.
    #expect(try await test.service.log(of: .parks).map(\.version.number) == [5, 4, 3])
  }

  @Test func futureVersionMakesPruningByAgeFail() async throws {
    let test = try await committing(Self.five, daysAgo: [400, 90, -1, 20, 1])
    let before = try await contents(of: test)
    let rule = try #require(RetentionRule(keepLast: 1, keepWithin: RetentionPeriod("30d")))
    await #expect {
      try await test.service.prune(PruneRequest(list: .parks, rule: rule))
    } throws: { error in
      guard case .datedInFuture(Version(3), _, now: TestStore.noon)? = error as? ServiceError
      else { return false }
      return true
    }
    #expect(try await contents(of: test) == before)
    #expect(try await test.service.prune(keepLast: 1).record != nil)
  }

  @Test func tagKeepsItsVersionUntilItIsRemoved() async throws {
    let test = try await committing(Self.five)
    let name = try #require(TagName("spring"))
    _ = try await test.service.tag(name, of: .parks, at: .version(Version(2)))
    let held = try await test.service.prune(keepLast: 1)
    #expect(held.record?.newOldest == Version(2) && held.plan.holdingTags == [name])
    let shown = try await test.service.snapshot(of: .parks, at: .tag(name)).snapshot
    #expect(shown == (try Snapshot.of("a", "b")))
    _ = try await test.service.removeTag(name, of: .parks)
    #expect(try await test.service.prune(keepLast: 1).record?.newOldest == Version(5))
  }

  @Test func dateBetweenVersionsWorksWhileItsVersionIsKept() async throws {
    let test = try await committing(Self.five, daysAgo: [50, 40, 30, 20, 10])
    try await test.service.prune(keepLast: 3)
    func version(daysAgo: Int) async throws -> Int? {
      let time = Timestamp(
        millisecondsSince1970: TestStore.noon.millisecondsSince1970 - Int64(daysAgo) * 86_400_000)
      let revision = Revision.date(.moment(time))
      return try await test.service.snapshot(of: .parks, at: revision).state.cursor?.version.number
    }
    for (days, expected) in [(0, 5), (10, 5), (11, 4), (20, 4), (25, 3), (30, 3)] {
      #expect(try await version(daysAgo: days) == expected, "\(days)")
    }
    for days in [31, 40, 99] {
      await #expect {
        _ = try await version(daysAgo: days)
      } throws: { error in
        guard case .tooOld? = error as? ServiceError else { return false }
        return true
      }
    }
  }

  @Test func historyOfAnItemEndsAtTheFloor() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 3)
    #expect(try await test.service.history(of: "b", in: .parks).map(\.record.version.number) == [5])
    #expect(
      try await test.service.history(of: "c", in: .parks).map(\.record.version.number) == [4])
    await #expect(throws: ServiceError.noSuchItem("a", list: .parks)) {
      try await test.service.history(of: "a", in: .parks)
    }
  }

  @Test func replayFromZeroReachesTheFloorInOneStep() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 3)
    for (from, to, expected) in [(0, 5, [3, 4, 5]), (5, 0, [4, 3, 0]), (4, 3, [3])] {
      var copy = try await test.service.snapshot(of: .parks, at: .version(Version(from))).snapshot
      var seen: [Int?] = []
      try await test.service.replay(
        .parks, from: .version(Version(from)), to: .version(Version(to))
      ) { delta in
        copy = try Snapshot(copy.items.applying(delta.changes))
        #expect(ListState(of: copy).root == delta.to.root)
        seen.append(delta.to.cursor?.version.number)
      }
      #expect(seen == expected)
    }
    await #expect(throws: ServiceError.self) {
      try await test.service.replay(.parks, from: .version(Version(2)), to: .head) { _ in }
    }
  }

  @Test func pagesAfterPruningEndOnKeptVersions() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 3)
    for (start, end, expected) in [(0, 5, [3, 4, 5]), (5, 0, [4, 3, 0])] {
      var (seen, version) = ([Int](), start)
      while version != end {
        var request = CatchUpRequest(list: .parks, since: .version(Version(version)))
        request.to = .version(Version(end))
        request.changeLimit = 1
        version = try #require(try await test.service.catchUp(request).to.cursor).version.number
        seen.append(version)
      }
      #expect(seen == expected)
    }
  }

  @Test func tooOldClientReceivesTheWholeListOnRequest() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 2)
    var request = CatchUpRequest(list: .parks, since: .version(Version(2)))
    request.fallsBack = true
    guard case .snapshot(let delta) = try await test.service.catchUp(request) else {
      Issue.record("a delta from a pruned version")
      return
    }
    #expect(delta.reason == .tooOld && delta.oldest == Version(4))
    #expect(delta.snapshot == (try Snapshot.of(Self.five[4])))
  }

  @Test func repeatedCommitIsRefusedAfterItsBaseVersionIsPruned() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 1)
    var request = CommitRequest(list: .parks, snapshot: try .of(Self.five[4]))
    request.expected = [.version(Version(4))]
    await #expect {
      _ = try await test.service.commit(request)
    } throws: { error in
      guard case .expectationFailed? = error as? ServiceError else { return false }
      return true
    }
  }

  @Test func droppingCheckpointsKeepsTheCheckpointOfTheFloor() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 3)
    try await test.store.write { writer in
      try writer.dropCheckpoints(of: try #require(try writer.lockedList(.parks)).key)
    }
    #expect(try await test.service.verify().faults == [])
    let shown = try await test.service.snapshot(of: .parks).snapshot
    #expect(shown == (try Snapshot.of(Self.five[4])))
  }

  @Test func verificationFindsADamagedFloor() async throws {
    let test = try await committing(Self.five)
    try await test.service.prune(keepLast: 3)
    try await test.store.write { writer in
      let db = try #require(writer.database)
      try db.execute(sql: "UPDATE checkpoints SET data = zeroblob(length(data))")
    }
    let faults = try await test.service.verify().faults
    #expect(faults.map(\.version) == [Version(3)])
  }

  @Test func pruningLeavesOtherListsUnchanged() async throws {
    let test = try await committing(Self.five)
    let films = try #require(ListName("films"))
    for texts in Self.five {
      _ = try await test.service.commit(.init(list: films, snapshot: try .of(texts)))
    }
    let before = try await test.service.delta(of: films, since: .version(Version(1)))
    try await test.service.prune(keepLast: 1)
    #expect(try await test.service.delta(of: films, since: .version(Version(1))) == before)
    #expect(try await test.service.prunes(of: films).isEmpty)
    #expect(try await test.service.verify().faults == [])
    #expect(try await LogInvariants.faults(of: test.store) == [])
  }

  @Test func numbersOfChangesAreNotReusedAfterPruning() async throws {
    let test = try await committing(Self.five + [[]])
    try await test.service.prune(keepLast: 1)
    func counts() async throws -> [Int] {
      let next = try await test.rows("SELECT next_change FROM lists")[0][0].flatMap { Int($0) }
      return [try await test.service.size(of: .parks).changeCount, try #require(next)]
    }
    let before = try await counts()
    #expect(before[0] == 0 && before[1] > 6)
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a")))
    #expect(try await counts() == [1, before[1] + 1])
    #expect(try await test.service.verify().faults == [])
  }

  @Test func pruningRemovesKeptChangesFromBelowTheFloor() async throws {
    let test = try TestStore()
    for number in 0..<4 {
      let texts = (0..<300).map { "i\($0)=\(number)" }
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    for (from, to) in [(1, 4), (2, 4), (4, 1), (0, 4)] {
      let (from, to) = (Revision.version(Version(from)), Revision.version(Version(to)))
      _ = try await test.service.delta(of: .parks, since: from, to: to)
    }
    func kept() async throws -> [String] {
      try await test.store.read { reader in
        let db = try #require(reader.database)
        return try String.fetchAll(
          db, sql: "SELECT from_version || '-' || to_version FROM change_sets ORDER BY 1")
      }
    }
    #expect(try await kept() == ["0-4", "1-4", "2-4", "4-1"])
    try await test.service.prune(keepLast: 3)
    #expect(try await kept() == ["2-4"])
  }
}
