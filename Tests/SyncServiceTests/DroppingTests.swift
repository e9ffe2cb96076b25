import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

@Suite struct DroppingTests {
  private static let films = ListName("films")!

  private func filled() async throws -> TestStore {
    let test = try TestStore()
    for texts in [["a", "b"], ["b=1", "c"]] {
      _ = try await test.service.commit(.init(list: .parks, snapshot: try .of(texts)))
      // A chain does not cover the name, so equal versions of both would be one history.
      _ = try await test.service.commit(.init(list: Self.films, snapshot: try .of(["x"] + texts)))
    }
    _ = try await test.service.tag(TagName("spring")!, of: .parks, at: .head, isForced: false)
    return test
  }

  @Test func nameOfADroppedListIsGoneForReadersAndWriters() async throws {
    let test = try await filled()
    let cursor = try #require(try await test.service.snapshot(of: .parks).state.cursor)
    var request = DepartureRequest(list: .parks)
    request.author = "Ann"
    let record = try await test.service.drop(request)
    #expect(record.cursor == cursor && record.author == "Ann" && record.newName == nil)
    #expect(record.leftAt == TestStore.noon)
    #expect(try await test.service.retiredLists() == [record])
    let gone = ServiceError.gone(record)
    await #expect(throws: gone) { try await test.service.snapshot(of: .parks) }
    await #expect(throws: gone) {
      try await test.service.catchUp(CatchUpRequest(list: .parks, since: .cursor(cursor)))
    }
    await #expect(throws: gone) { try await test.service.drop(request) }
    let commits = [
      CommitRequest(list: .parks, snapshot: try .of("x")),
      CommitRequest(list: .parks, edits: [.remove("a")]),
    ]
    for commit in commits {
      await #expect(throws: gone) { try await test.service.commit(commit) }
      await #expect(throws: gone) { try await test.service.preview(commit) }
    }
    #expect(try await test.service.lists().map(\.name) == [Self.films])
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func commitMayBeginTheNameAgain() async throws {
    let test = try await filled()
    let cursor = try #require(try await test.service.snapshot(of: .parks).state.cursor)
    let record = try await test.service.drop(DepartureRequest(list: .parks))
    var request = CommitRequest(list: .parks, snapshot: try .of("x"))
    request.beginsAgain = true
    guard case .committed(let first) = try await test.service.commit(request) else {
      Issue.record("no version was made")
      return
    }
    #expect(first.version == Version(1))
    await #expect(throws: ServiceError.self) {
      try await test.service.snapshot(of: .parks, at: .cursor(cursor))
    }
    #expect(try await test.service.retiredLists() == [record])
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  @Test func renamedListKeepsItsCursorsAndMayGetItsNameBack() async throws {
    let test = try await filled()
    let before = try await test.service.log(of: .parks)
    let new = ListName("national-parks")!
    let record = try await test.service.rename(DepartureRequest(list: .parks), to: new)
    #expect(record.newName == new)
    #expect(try await test.service.log(of: new) == before)
    #expect(try await test.service.tags(of: new).count == 1)
    await #expect(throws: ServiceError.gone(record)) { try await test.service.log(of: .parks) }
    await #expect(throws: ServiceError.nameTaken(Self.films)) {
      try await test.service.rename(DepartureRequest(list: new), to: Self.films)
    }
    // The films never were the parks.
    await #expect(throws: ServiceError.gone(record)) {
      try await test.service.rename(DepartureRequest(list: Self.films), to: .parks)
    }
    _ = try await test.service.commit(.init(list: new, snapshot: try .of("z")))
    _ = try await test.service.rename(DepartureRequest(list: new), to: .parks)
    #expect(try await test.service.log(of: .parks).count == 3)
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  /// A former fault: a list whose version of the renaming was pruned was taken for another one.
  @Test func renamedListGetsAFormerNameBackAfterPruning() async throws {
    let test = try await filled()
    let names = ["b", "c"].map { ListName($0)! }
    _ = try await test.service.removeTag(TagName("spring")!, of: .parks)
    _ = try await test.service.rename(DepartureRequest(list: .parks), to: names[0])
    _ = try await test.service.commit(.init(list: names[0], snapshot: try .of("z")))
    _ = try await test.service.rename(DepartureRequest(list: names[0]), to: names[1])
    _ = try await test.service.commit(.init(list: names[1], snapshot: try .of("y")))
    _ = try await test.service.prune(names[1], keepLast: 1)
    // By way of both names.
    _ = try await test.service.rename(DepartureRequest(list: names[1]), to: .parks)
    _ = try await test.service.rename(DepartureRequest(list: .parks), to: names[0])
    #expect(try await test.service.log(of: names[0]).map(\.version) == [Version(4)])
    #expect(try await test.service.verify(depth: .everything).faults == [])
  }

  /// A former fault: version 0 has no record, so the list was taken for another one.
  @Test func renamedListWithoutVersionsGetsItsNameBack() async throws {
    let test = try TestStore()
    _ = try await test.service.commit(.init(list: .parks, snapshot: .empty))
    _ = try await test.service.rename(DepartureRequest(list: .parks), to: Self.films)
    _ = try await test.service.rename(DepartureRequest(list: Self.films), to: .parks)
    #expect(try await test.service.lists().map(\.name) == [.parks])
  }

  /// The name that a list left leads to that list alone, whatever other lists do with the names
  /// that it had since.
  @Test(arguments: [false, true])
  func listThatBeganANameAgainDoesNotGetTheNamesBeforeIt(isDropped: Bool) async throws {
    let test = try TestStore()
    let names = ["b", "c"].map { ListName($0)! }
    _ = try await test.service.commit(.init(list: .parks, snapshot: .empty))
    let record = try await test.service.rename(DepartureRequest(list: .parks), to: names[0])
    if isDropped {
      _ = try await test.service.drop(DepartureRequest(list: names[0]))
    } else {
      _ = try await test.service.rename(DepartureRequest(list: names[0]), to: names[1])
    }
    var rival = CommitRequest(list: names[0], snapshot: .empty)
    rival.beginsAgain = true
    _ = try await test.service.commit(rival)
    await #expect(throws: ServiceError.gone(record)) {
      try await test.service.rename(DepartureRequest(list: names[0]), to: .parks)
    }
    if isDropped { return }
    _ = try await test.service.rename(DepartureRequest(list: names[1]), to: .parks)
  }

  @Test func listIsDroppedOnlyAtTheExpectedVersion() async throws {
    let test = try await filled()
    let cursor = try #require(try await test.service.snapshot(of: .parks).state.cursor)
    var request = DepartureRequest(list: .parks)
    request.expected = [.version(Version(1))]
    await #expect(
      throws: ServiceError.expectationFailed(
        expected: [.version(Version(1))], list: .parks, head: cursor)
    ) { try await test.service.drop(request) }
    request.expected = [.cursor(cursor)]
    _ = try await test.service.drop(request)
    let absent = ListName("rivers")!
    await #expect(throws: ServiceError.noSuchList(absent)) {
      try await test.service.drop(DepartureRequest(list: absent))
    }
  }

  @Test func watchersOfADroppedListAreToldAtOnce() async throws {
    let test = try await filled()
    let headCache = HeadCache(service: test.service, clock: ManualClock())
    try await headCache.refresh()
    let cursor = try #require(headCache.head(of: .parks)?.head.cursor)
    async let waited = headCache.wait(for: .parks, otherThan: cursor, timeout: .seconds(60))
    var heads = headCache.headStream(of: .parks, for: .anyone)
    #expect(await heads.next()?.head.cursor == cursor)
    let rest = heads
    async let next = rest.reduce(into: 0) { count, _ in count += 1 }
    try await eventually("both wait") { headCache.watcherCount == 2 }
    let record = try await test.service.drop(DepartureRequest(list: .parks))
    try await headCache.refresh()
    #expect(await waited == nil)
    #expect(await next == 0)
    #expect(headCache.retiredList(.parks) == record && headCache.head(of: .parks) == nil)
    #expect(headCache.retiredList(Self.films) == nil)
  }
}
