import ListChanges
import ListModel
import ListStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Commits that remove or update more items than the list allows.
@Suite struct ChangeLimitTests {
  private static let ten = (0..<10).map { "i\($0)" }

  /// A store with a list of ten items.
  private func store(limit: ChangeLimit? = nil) async throws -> TestStore {
    let test = try TestStore()
    var request = CommitRequest(list: .parks, snapshot: try .of(Self.ten))
    request.limits[.removed] = limit
    _ = try await test.service.commit(request)
    return test
  }

  /// The first items of the list.
  private func first(_ count: Int, limit: ChangeLimit? = nil) throws -> CommitRequest {
    var request = CommitRequest(list: .parks, snapshot: try .of(Array(Self.ten.prefix(count))))
    request.limits[.removed] = limit
    return request
  }

  private func delta(_ test: TestStore, to count: Int) async throws -> CommitRequest {
    var request = try first(count)
    request.forcedChanges = [.removed]
    let delta = try await test.service.preview(request)
    return CommitRequest(
      list: .parks, .changes(BareChanges(delta.changes), from: delta.from, to: delta.to))
  }

  private func remembered(_ test: TestStore) async throws -> ChangeLimit? {
    try await test.service.lists().first?.limits[.removed]
  }

  @Test(
    arguments: [
      (.count(3), 7), (.percent(30), 7), (.percent(39), 7), (.count(0), 10), (.percent(0), 10),
      (.percent(100), 0), (.count(10), 0), (.unlimited, 0),
    ] as [(ChangeLimit, Int)])
  func exactlyTheLimitMayBeRemoved(limit: ChangeLimit, least: Int) async throws {
    let test = try await store(limit: limit)
    if least > 0 {
      let refusal = ServiceError.changesTooMany(
        .removed, 11 - least, of: 10, list: .parks, limit: limit)
      let requests = [try first(least - 1), try await delta(test, to: least - 1)]
      for request in requests {
        await #expect(throws: refusal) { try await test.service.commit(request) }
        await #expect(throws: refusal) { try await test.service.preview(request) }
      }
      #expect(try await test.service.log(of: .parks).count == 1)
    }
    _ = try await test.service.commit(try await delta(test, to: least))
    #expect(try await test.service.state(of: ListRevision(.parks)).count == least)
  }

  /// The list of ten items, of which the first have other contents.
  private func updated(_ count: Int) throws -> CommitRequest {
    let texts = Self.ten.enumerated().map { index, id in index < count ? "\(id)=1" : id }
    return CommitRequest(list: .parks, snapshot: try .of(texts))
  }

  @Test(
    arguments: [
      (.count(3), 3), (.percent(39), 3), (.count(0), 0), (.percent(100), 10), (.unlimited, 10),
    ] as [(ChangeLimit, Int)])
  func exactlyTheLimitMayBeUpdated(limit: ChangeLimit, highest: Int) async throws {
    let test = try TestStore()
    var first = try updated(0)
    first.limits[.updated] = limit
    _ = try await test.service.commit(first)
    if highest < 10 {
      var forced = try updated(highest + 1)
      forced.forcedChanges = [.updated]
      let delta = try await test.service.preview(forced)
      let changes = CommitRequest(
        list: .parks, .changes(BareChanges(delta.changes), from: delta.from, to: delta.to))
      let refusal = ServiceError.changesTooMany(
        .updated, highest + 1, of: 10, list: .parks, limit: limit)
      var others = try updated(highest + 1)
      others.forcedChanges = [.removed]
      for request in [try updated(highest + 1), changes, others] {
        await #expect(throws: refusal) { try await test.service.commit(request) }
        await #expect(throws: refusal) { try await test.service.preview(request) }
      }
      #expect(try await test.service.log(of: .parks).count == 1)
    }
    _ = try await test.service.commit(try updated(highest))
    #expect(try await test.service.lists().first?.limits[.updated] == limit)
    #expect(try await remembered(test) == .unlimited)
  }

  @Test func limitOfOneKindHoldsForNoOther() async throws {
    let test = try TestStore()
    var request = try updated(0)
    request.limits = [.updated: .count(0)]
    _ = try await test.service.commit(request)
    _ = try await test.service.commit(try first(3))
    request = try first(10)
    request.limits = [.updated: .unlimited, .removed: .count(0)]
    _ = try await test.service.commit(request)
    _ = try await test.service.commit(try updated(10))
    let edits = [Edit.put(Item(id: ItemID("i0"), content: try Content(json: "7")), nil)]
    request = CommitRequest(list: .parks, edits: edits)
    request.limits = [.updated: .count(0)]
    _ = try await test.service.commit(request)
    #expect(try await test.service.lists().first?.limits[.updated] == .count(0))
  }

  @Test func itemsThatOthersReplaceAreRemovedToo() async throws {
    let test = try await store(limit: .percent(50))
    let others = CommitRequest(list: .parks, snapshot: try .of((0..<20).map { "o\($0)" }))
    await #expect(throws: ServiceError.self) { try await test.service.commit(others) }
  }

  @Test func limitIsRememberedUntilAnotherOrNoneIsGiven() async throws {
    let test = try await store()
    #expect(try await remembered(test) == .unlimited)
    for (limit, expected) in [
      (.percent(20), .percent(20)), (nil, .percent(20)), (.count(5), .count(5)),
      (.unlimited, .unlimited), (nil, .unlimited),
    ] as [(ChangeLimit?, ChangeLimit)] {
      // With an equal list, and with a version.
      _ = try await test.service.commit(try first(10, limit: limit))
      #expect(try await remembered(test) == expected)
      _ = try await test.service.commit(try first(9, limit: .count(1)))
      _ = try await test.service.commit(try first(10, limit: expected))
      #expect(try await remembered(test) == expected)
    }
  }

  @Test func givenLimitComesBeforeTheRememberedOne() async throws {
    let test = try await store(limit: .count(5))
    await #expect(throws: ServiceError.self) {
      try await test.service.commit(try first(7, limit: .count(2)))
    }
    #expect(try await remembered(test) == .count(5))
    _ = try await test.service.commit(try first(1, limit: .count(9)))
    #expect(try await remembered(test) == .count(9))
  }

  @Test func forcedCommitPassesOnceAndKeepsTheLimit() async throws {
    let test = try await store(limit: .percent(10))
    var forced = try first(5)
    forced.forcedChanges = [.removed]
    _ = try await test.service.commit(forced)
    #expect(try await remembered(test) == .percent(10))
    await #expect(throws: ServiceError.self) { try await test.service.commit(try first(0)) }
  }

  @Test func repeatedCommitAfterALostAnswerIsNotRefused() async throws {
    let test = try await store()
    var request = try first(2)
    request.expected = [.version(Version(1))]
    let state = try await test.service.commit(request).state
    request.limits[.removed] = .count(0)
    #expect(try await test.service.commit(request).state == state)
  }

  @Test func editsAndRevertsRemoveWhatTheyName() async throws {
    let test = try await store(limit: .count(0))
    let edits = Self.ten.map { Edit.remove(ItemID($0)) }
    _ = try await test.service.commit(CommitRequest(list: .parks, edits: edits))
    _ = try await test.service.commit(CommitRequest(list: .parks, revertTo: .version(Version(1))))
    _ = try await test.service.commit(CommitRequest(list: .parks, revertTo: .version(.zero)))
    #expect(try await test.service.state(of: ListRevision(.parks)).count == 0)
  }

  @Test func refusedCommitRemembersNothing() async throws {
    let test = try await store()
    var request = try first(1, limit: .percent(20))
    (request.idRule, request.titlePath) = (#"["key"]"#, JSONPointer("/name"))
    let before = try await StoreAnswers(of: test.service)
    await #expect(throws: ServiceError.self) { try await test.service.commit(request) }
    #expect(try await StoreAnswers(of: test.service) == before)
  }

  @Test func renamedListKeepsItsLimitAndOneThatBeginsAgainHasNone() async throws {
    let test = try await store(limit: .count(3))
    let films = try #require(ListName("films"))
    _ = try await test.service.rename(DepartureRequest(list: .parks), to: films)
    #expect(try await remembered(test) == .count(3))
    _ = try await test.service.drop(DepartureRequest(list: films))
    var request = CommitRequest(list: films, snapshot: try .of(Self.ten))
    request.beginsAgain = true
    _ = try await test.service.commit(request)
    #expect(try await remembered(test) == .unlimited)
  }

  @Test func copyGetsTheLimitUnlessItHasOne() async throws {
    let (source, copy) = (try await store(limit: .count(3)), try TestStore())
    #expect(try await copy.service.copy(.parks, from: source.service).leftOut == [])
    #expect(try await remembered(copy) == .count(3))
    _ = try await copy.service.commit(try first(10, limit: .percent(5)))
    #expect(
      try await copy.service.copy(.parks, from: source.service).leftOut
        == [.otherLimit(.removed, .count(3), here: .percent(5))])
    #expect(try await remembered(copy) == .percent(5))
    _ = try await source.service.commit(try first(10, limit: .unlimited))
    #expect(try await copy.service.copy(.parks, from: source.service).leftOut == [])
    #expect(try await remembered(copy) == .percent(5))
  }
}
