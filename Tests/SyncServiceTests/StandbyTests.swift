import ListModel
import ListStore
import SQLiteStore
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// A store that is read from a standby a few versions behind.
struct StandbyTests {
  private let primary: TestStore
  private let standby: TestStore
  private let watched: WatchedStore
  private let service: SyncService
  /// Of all versions; the standby has the first four.
  private let cursors: [Cursor]

  init() async throws {
    (primary, standby) = (try TestStore(), try TestStore())
    var cursors: [Cursor] = []
    for number in 0..<6 {
      let request = CommitRequest(list: .parks, snapshot: try .of("a", "b=\(number)", "c\(number)"))
      if number < 4 { _ = try await standby.service.commit(request) }
      cursors.append(try #require(try await primary.service.commit(request).state.cursor))
    }
    self.cursors = cursors
    watched = WatchedStore(standby.store)
    let store = StandbyStore(primary: primary.store, standby: watched)
    service = SyncService(store: store) { TestStore.noon }
  }

  @Test(arguments: [true, false])
  func everyCursorOfThePrimaryIsAnsweredByChanges(fallsBack: Bool) async throws {
    for (index, cursor) in cursors.enumerated() {
      var request = CatchUpRequest(list: .parks, since: .cursor(cursor))
      request.fallsBack = fallsBack
      guard case .changes(let delta) = try await service.catchUp(request) else {
        Issue.record("\(cursor) is answered by a whole list")
        continue
      }
      #expect(delta.from.cursor == cursor)
      #expect(delta.to.cursor == cursors[index < 4 ? 3 : 5])
    }
  }

  @Test func cursorOfAnotherHistoryStillDiverged() async throws {
    let other = try TestStore()
    let commit = CommitRequest(list: .parks, snapshot: try .of("x"))
    let cursor = try #require(try await other.service.commit(commit).state.cursor)
    var request = CatchUpRequest(list: .parks, since: .cursor(cursor))
    await #expect(throws: ServiceError.self) { try await service.catchUp(request) }
    request.fallsBack = true
    guard case .snapshot(let whole) = try await service.catchUp(request) else {
      Issue.record("the foreign cursor is answered by changes")
      return
    }
    #expect(whole.reason == .diverged)
  }

  @Test func whatTheStandbyLacksOrCannotReadComesFromThePrimary() async throws {
    let newest = try await service.snapshot(of: .parks, at: .cursor(cursors[5]))
    #expect(newest.snapshot == (try .of("a", "b=5", "c5")))
    watched.fail(reads: .inputOutput(reason: "gone"), marks: .inputOutput(reason: "gone"))
    let head = try await service.snapshot(of: .parks)
    #expect(head.snapshot == newest.snapshot)
    let store = StandbyStore(primary: primary.store, standby: watched)
    #expect(try await store.dataVersion() == primary.store.dataVersion())
  }

  @Test func commitIsMadeFromTheHeadOfThePrimary() async throws {
    // A former fault: a commit of what the standby had was "unchanged", and was lost.
    var request = CommitRequest(list: .parks, snapshot: try .of("a", "b=3", "c3"))
    request.expected = [.head]
    guard case .committed(let record) = try await service.commit(request) else {
      Issue.record("it is not kept")
      return
    }
    #expect(record.version == Version(7))
    request.expected = [.cursor(cursors[3])]
    await #expect(throws: ServiceError.self) { try await service.commit(request) }
    // A rule, a title or a limit too.
    request.limits[.removed] = ChangeLimit("3%")
    await #expect(throws: ServiceError.self) { try await service.commit(request) }
    #expect(try await primary.service.lists()[0].limits[.removed] == .unlimited)
  }

  @Test func idsAreFoundByTheRuleOfThePrimary() async throws {
    var request = CommitRequest(list: ListName("films")!, snapshot: try .of("a"))
    request.idRule = "title"
    _ = try await primary.service.commit(request)
    #expect(try await service.idRule(of: ListName("films")!) == "title")
  }

  @Test func commitsGoToThePrimary() async throws {
    var request = CommitRequest(list: .parks, snapshot: try .of("z"))
    request.expected = [.cursor(cursors[5])]
    let outcome = try await service.commit(request)
    #expect(outcome.state.cursor?.version == Version(7))
    #expect(watched.counts.writes == 0)
  }
}
