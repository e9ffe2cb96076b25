import ListChanges
import ListDocuments
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import Testing

/// Commits that were made from an older version than the head.
@Suite struct MergedCommitTests {
  /// How a commit says what it makes of its base.
  enum Form: CaseIterable { case whole, changesWithEnd, changesWithoutEnd }

  /// A store with a version for each list, and the states of the versions.
  private func store(_ lists: [String]...) async throws -> (TestStore, [ListState]) {
    let test = try TestStore()
    var states = [ListState.zero]
    for list in lists {
      let request = CommitRequest(list: .parks, snapshot: try .of(list))
      states.append(try await test.service.commit(request).state)
    }
    return (test, states)
  }

  private func request(
    _ texts: [String], from base: ListState, was old: [String] = [], as form: Form = .whole,
    preferring side: MergeSide? = nil, author: String? = "Ann", message: String? = nil
  ) throws -> CommitRequest {
    let mine = try Snapshot.of(texts)
    let changes = BareChanges(try Snapshot.of(old).changes(to: mine))
    var request =
      switch form {
      case .whole: CommitRequest(list: .parks, snapshot: mine)
      case .changesWithEnd:
        CommitRequest(list: .parks, .changes(changes, from: base, to: ListState(of: mine)))
      case .changesWithoutEnd:
        CommitRequest(list: .parks, .changes(changes, from: base, to: nil))
      }
    request.merge(from: .cursor(try #require(base.cursor)), preferring: side)
    (request.author, request.message) = (author, message)
    return request
  }

  private func items(_ test: TestStore) async throws -> [Item] {
    try await test.service.snapshot(of: .parks).snapshot.items
  }

  private func count(_ test: TestStore) async throws -> Int {
    try await test.service.log(of: .parks).count
  }

  @Test(arguments: Form.allCases)
  func commitOnAnOlderVersionIsMerged(_ form: Form) async throws {
    let (test, states) = try await store(["a", "b", "c"], ["a=1", "b", "c", "x"])
    let mine = try request(["c", "a", "b", "y"], from: states[1], was: ["a", "b", "c"], as: form)
    guard
      case .merged(let record?, into: states[2], let report) = try await test.service.commit(
        mine)
    else {
      Issue.record("it is not merged")
      return
    }
    #expect(try await items(test) == Snapshot.of("c", "a=1", "b", "x", "y").items)
    #expect(record.version == Version(3))
    #expect(report.base == states[1].cursor)
    #expect(report.head == states[2].cursor)
    #expect(report.mine.ids == ["c", "y"])
    #expect(report.mine.changes == ChangeCounts(removed: 0, moved: 1, inserted: 1, updated: 0))
    #expect(report.theirs.ids == ["a", "x"])
    #expect(report.theirs.changes == ChangeCounts(removed: 0, moved: 0, inserted: 1, updated: 1))
    #expect(report.conflicts.count == 0)
    #expect(record.note.merge?.base == states[1].cursor)
    #expect(record.note.author == "Ann")
    #expect(try await test.service.verify().faults == [])
  }

  @Test func commitOnTheHeadIsAnOrdinaryOne() async throws {
    let (test, states) = try await store(["a"], ["a", "b"])
    let mine = try request(["a", "b", "c"], from: states[2], message: "Added c")
    guard case .committed(let record) = try await test.service.commit(mine) else {
      Issue.record("it is merged")
      return
    }
    #expect(record.note.message == "Added c")
    #expect(record.note.merge == nil)
  }

  @Test func editsOfAnOlderVersionAreMerged() async throws {
    let (test, states) = try await store(["a", "b", "c"], ["c", "b=1"])
    var mine = CommitRequest(list: .parks, edits: [.move("c", .after("a")), .remove("b")])
    mine.merge(from: .cursor(try #require(states[1].cursor)), preferring: .mine)
    guard case .merged(_?, _, let report) = try await test.service.commit(mine) else {
      Issue.record("they are not merged")
      return
    }
    #expect(try await items(test) == Snapshot.of("c").items)
    #expect(report.conflicts.listed.map(\.kind) == [.removedByMine])
    #expect(report.preferred == .mine)
  }

  @Test func conflictsStoreNothingAndAreReportedWithTheirValues() async throws {
    let (test, states) = try await store(["a", "b"], ["a=1", "b=1"])
    let mine = try request(["a=2"], from: states[1])
    for attempt in [false, true] {
      let error = await #expect(throws: ServiceError.self) {
        if attempt {
          _ = try await test.service.preview(mine)
        } else {
          _ = try await test.service.commit(mine)
        }
      }
      guard case .conflicts(let conflicts, .parks, let base, let head) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(base == states[1].cursor)
      #expect(head == states[2].cursor)
      #expect(conflicts.count == 2)
      #expect(conflicts.listed.map(\.id) == ["a", "b"])
      #expect(conflicts.listed.map(\.kind) == [.changed, .removedByMine])
      #expect(conflicts.listed[0].member.path.description == "/value")
      #expect(conflicts.listed[0].member.theirs?.description == "1")
    }
    #expect(try await count(test) == 2)
  }

  @Test(arguments: [(MergeSide.mine, ["a=2"]), (.theirs, ["a=1", "b=1"])])
  func preferredSideDecidesConflicts(_ side: MergeSide, _ merged: [String]) async throws {
    let (test, states) = try await store(["a", "b"], ["a=1", "b=1"])
    let outcome = try await test.service.commit(
      request(["a=2"], from: states[1], preferring: side))
    guard case .merged(let record, _, let report) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect((record == nil) == (side == .theirs))
    #expect(report.conflicts.count == 2)
    #expect(try await items(test) == Snapshot.of(merged).items)
  }

  @Test func listedConflictsAreBoundedInBytes() throws {
    let value = try Content(json: "\"\(String(repeating: "x", count: 1000))\"")
    let all = (0..<5000).map { number in
      ItemMerge.Conflict(
        id: ItemID("\(number)"), kind: .changed,
        member: MemberConflict(
          path: JSONPointer(tokens: ["a"]), base: value, mine: value, theirs: value))
    }
    let conflicts = MergeConflicts(all)
    #expect(conflicts.count == 5000)
    #expect((300...350).contains(conflicts.listed.count))
    #expect(conflicts.listed == Array(all.prefix(conflicts.listed.count)))
    #expect(MergeConflicts(all, byteLimit: 10).listed.count == 1)
    #expect(MergeConflicts([]).listed.isEmpty)
    #expect(conflicts.listed(byteLimit: 40 << 10).listed.count == 13)
    #expect(conflicts.listed(byteLimit: 10).listed.isEmpty)
  }

  // MARK: Repeating

  /// The item x, which mine brought, is removed later: the repeated request does not bring it back.
  @Test(arguments: Form.allCases)
  func repeatedMergeIsToldThatItWorkedWhateverOthersCommitted(_ form: Form) async throws {
    let (test, states) = try await store(["a", "b"], ["a", "b", "y"])
    let mine = try request(["x", "a", "b"], from: states[1], was: ["a", "b"], as: form)
    guard case .merged(let made?, _, _) = try await test.service.commit(mine) else {
      Issue.record("it is not merged")
      return
    }
    for (round, texts) in [["a", "b", "y"], ["q"], []].enumerated() {
      #expect(try await test.service.commit(mine) == .found(made, isOwn: true), "\(texts)")
      #expect(try await test.service.preview(mine).changes.isEmpty)
      #expect(try await count(test) == 3 + round)
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
    }
    #expect(try await test.service.commit(mine) == .found(made, isOwn: true))
    var other = mine
    other.author = "Ben"
    #expect(try await test.service.commit(other) == .found(made, isOwn: false))
    other = mine
    other.message = "Another one"
    #expect(try await test.service.commit(other) == .found(made, isOwn: false))
  }

  @Test(arguments: Form.allCases)
  func repeatedCommitThatWasNoMergeIsFound(_ form: Form) async throws {
    let (test, states) = try await store(["a", "b"])
    let mine = try request(["x", "a", "b"], from: states[1], was: ["a", "b"], as: form)
    guard case .committed(let made) = try await test.service.commit(mine) else {
      Issue.record("it is merged")
      return
    }
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "c")))
    #expect(try await test.service.commit(mine) == .found(made, isOwn: true))
    #expect(try await items(test) == Snapshot.of("a", "c").items)
  }

  /// The head had all of mine, so nothing was stored. Then x was removed.
  @Test func repeatedMergeThatStoredNothingBringsNothingBack() async throws {
    let (test, states) = try await store(["a", "b"], ["x", "a", "b", "y"])
    let mine = try request(["x", "a", "b"], from: states[1])
    guard case .merged(nil, into: states[2], _) = try await test.service.commit(mine) else {
      Issue.record("it stored a version")
      return
    }
    _ = try await test.service.commit(.init(list: .parks, snapshot: try .of("a", "b", "y")))
    let record = try await test.service.log(of: .parks)[1]
    #expect(try await test.service.commit(mine) == .found(record, isOwn: false))
    #expect(try await items(test) == Snapshot.of("a", "b", "y").items)
  }

  @Test func anotherChangeOfTheSameBaseWithTheSameMessageIsMerged() async throws {
    let (test, states) = try await store(["a"], ["a", "y"])
    _ = try await test.service.commit(request(["x", "a"], from: states[1]))
    guard
      case .merged(_?, _, _) = try await test.service.commit(
        request(["z", "a"], from: states[1]))
    else {
      Issue.record("it is taken for the first")
      return
    }
    #expect(Set(try await items(test).map(\.id)) == ["x", "z", "a", "y"])
  }

  // MARK: Bases

  @Test func prunedBaseIsTooOldAndAnotherHistorysDiverged() async throws {
    let (test, states) = try await store(["a"], ["a", "b"], ["b"], ["b", "c"])
    _ = try await test.service.prune(keepLast: 2)
    let tooOld = await #expect(throws: ServiceError.self) {
      _ = try await test.service.commit(request(["a", "z"], from: states[1]))
    }
    #expect(tooOld?.kind == .tooOld)
    let (other, foreign) = try await store(["q"], ["q", "r"], ["r"])
    _ = other
    let diverged = await #expect(throws: ServiceError.self) {
      _ = try await test.service.commit(request(["r", "z"], from: foreign[3]))
    }
    #expect(diverged?.kind == .diverged)
    #expect(try await count(test) == 2)
  }

  @Test func changesFromAnotherStateThanTheBaseAreRefused() async throws {
    let (test, states) = try await store(["a"], ["a", "b"], ["b"])
    var mine = try request(["a", "z"], from: states[1], was: ["a"], as: .changesWithEnd)
    mine.merge(from: .version(Version(2)))
    let error = await #expect(throws: ServiceError.self) { _ = try await test.service.commit(mine) }
    #expect(error?.kind == .unprocessable)
  }

  @Test func statedEndOfMineIsChecked() async throws {
    let (test, states) = try await store(["a"], ["a", "b"])
    let changes = BareChanges(try Snapshot.of("a").changes(to: .of("a", "z")))
    let wrong = ListState(of: try .of("a", "q"))
    var mine = CommitRequest(list: .parks, .changes(changes, from: states[1], to: wrong))
    mine.merge(from: .cursor(try #require(states[1].cursor)))
    let error = await #expect(throws: ServiceError.self) { _ = try await test.service.commit(mine) }
    #expect(error?.kind == .unprocessable)
    #expect(try await count(test) == 2)
  }

  @Test func previewShowsTheMergeAndStoresNothing() async throws {
    let (test, states) = try await store(["a", "b"], ["a", "b", "y"])
    let mine = try request(["x", "a", "b"], from: states[1])
    let (delta, report) = try await test.service.previewMerge(mine)
    #expect(delta.from == states[2])
    #expect(delta.to == ListState(of: try .of("x", "a", "b", "y")))
    #expect(report?.mine.ids == ["x"])
    #expect(try await count(test) == 2)
  }

  @Test func removalsOfAMergeAreLimitedAsThoseOfAWholeList() async throws {
    let (test, states) = try await store(["a", "b", "c"], ["a", "b", "c", "d"])
    var mine = try request([], from: states[1])
    mine.limits[.removed] = .count(1)
    let error = await #expect(throws: ServiceError.self) { _ = try await test.service.commit(mine) }
    #expect(error?.kind == .removesTooMany)
  }
}
