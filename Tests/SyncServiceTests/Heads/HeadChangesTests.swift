import ListModel
import ListStore
import StoreTestSupport
import TestSupport
import Testing

@testable import SyncService

/// Which lists have changed since a mark.
@Suite(.timeLimit(.minutes(Hang.minutes))) struct HeadChangesTests {
  private static let films = ListName.films

  private func changes(
    _ fixture: BoardFixture, _ mark: String?, limit: Int = 1000, caller: Caller = .anyone,
    timeout: Duration = .zero
  ) async -> HeadChanges {
    await fixture.board.changes(after: mark, limit: limit, for: caller, timeout: timeout)
  }

  @Test func aMarkTellsWhatHasChangedSinceThen() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    try await fixture.show(1, in: Self.films)
    let all = await changes(fixture, nil)
    #expect(all.isAll && all.lists.map(\.name) == [.parks, .films] && !all.hasMore)
    let nothing = await changes(fixture, all.mark)
    #expect(nothing.isEmpty && !nothing.isAll && nothing.mark == all.mark)
    let cursor = try await fixture.show(2)
    let one = await changes(fixture, all.mark)
    #expect(one.lists.map(\.head.cursor) == [cursor] && !one.isAll)
    #expect(await changes(fixture, one.mark).isEmpty)
  }

  @Test func aListThatIsDroppedOrRenamedIsGone() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    try await fixture.show(1, in: Self.films)
    let mark = await changes(fixture, nil).mark
    let waiting = Task { await changes(fixture, mark, timeout: .seconds(30)) }
    try await eventually("it waits") { fixture.board.watcherCount == 1 }
    let service = fixture.test.service
    _ = try await service.rename(DepartureRequest(list: Self.films), to: ListName("movies")!)
    try await fixture.board.refresh()
    let renamed = try await ended("it is told", waiting)
    #expect(renamed.gone == [Self.films] && renamed.lists.map(\.name.text) == ["movies"])
    _ = try await service.drop(DepartureRequest(list: .parks))
    try await fixture.board.refresh()
    let dropped = await changes(fixture, renamed.mark)
    #expect(dropped.gone == [.parks] && dropped.lists.isEmpty)
    #expect(await changes(fixture, dropped.mark).isEmpty)
    // Who begins now never had them.
    #expect(await changes(fixture, nil).gone.isEmpty)
  }

  @Test func foreignMarksGiveAllLists() async throws {
    let (fixture, other) = (try BoardFixture(), try BoardFixture())
    try await fixture.show(1)
    try await other.show(1)
    let mark = await changes(other, nil).mark
    let future = await changes(fixture, nil).mark.split(separator: "-")[0] + "-99"
    for mark in [mark, String(future), "", "x", "-", "1-1", "\(fixture.board.id)--1"] {
      let answer = await changes(fixture, mark, timeout: .seconds(30))
      #expect(answer.isAll && answer.lists.count == 1, "\(mark)")
    }
  }

  @Test func pagesLeaveNothingOut() async throws {
    let fixture = try BoardFixture()
    for number in 0..<7 { try await fixture.commit(1, to: ListName("list\(number)")!) }
    try await fixture.board.refresh()
    var (names, mark, pageCount): ([String], String?, Int) = ([], nil, 0)
    while true {
      let page = await changes(fixture, mark, limit: 3)
      #expect(page.isAll == (mark == nil))
      names += page.lists.map(\.name.text)
      (mark, pageCount) = (page.mark, pageCount + 1)
      if !page.hasMore { break }
    }
    #expect(names == (0..<7).map { "list\($0)" } && pageCount == 3)
  }

  @Test func theLimitZeroGivesThePresentMark() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    let present = await changes(fixture, nil, limit: 0)
    #expect(present.isEmpty && !present.isAll && !present.hasMore)
    #expect(await changes(fixture, present.mark).isEmpty)
    try await fixture.show(2)
    #expect(await changes(fixture, present.mark).lists.count == 1)
  }

  @Test func callersSeeTheirListsAlone() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1)
    let caller = try await fixture.caller("reader", AccessGrant(.read, ListPattern("fi*")!))
    let mark = await changes(fixture, nil, caller: caller).mark
    let waiting = Task { await changes(fixture, mark, caller: caller, timeout: .seconds(30)) }
    try await eventually("it waits") { fixture.board.watcherCount == 1 }
    try await fixture.show(2)
    #expect(fixture.board.watcherCount == 1)
    try await fixture.show(1, in: Self.films)
    #expect(try await ended("it is told", waiting).lists.map(\.name) == [Self.films])
    // A list that it may not read is gone without a word.
    let later = await changes(fixture, nil, caller: caller).mark
    _ = try await fixture.test.service.drop(DepartureRequest(list: .parks))
    try await fixture.board.refresh()
    #expect(await changes(fixture, later, caller: caller).isEmpty)
  }

  @Test func aWaitEndsAtItsTimeAndWithTheCallersRights() async throws {
    let fixture = try BoardFixture()
    let caller = try await fixture.caller("reader", AccessGrant(.read, ListPattern("*")!))
    let mark = await changes(fixture, nil, caller: caller).mark
    let waiting = Task { await changes(fixture, mark, caller: caller, timeout: .seconds(30)) }
    try await eventually("it waits") {
      fixture.board.watcherCount == 1 && fixture.clock.sleeperCount == 1
    }
    fixture.clock.advance(by: .seconds(30))
    #expect(try await ended("its time is over", waiting).isEmpty)
    #expect(fixture.board.watcherCount == 0)
    let revoked = Task { await changes(fixture, mark, caller: caller, timeout: .seconds(30)) }
    try await eventually("it waits") { fixture.board.watcherCount == 1 }
    try await fixture.revoke("reader")
    #expect(try await ended("it is revoked", revoked).isEmpty)
  }
}
