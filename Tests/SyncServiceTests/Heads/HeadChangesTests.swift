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
    await fixture.headCache.changes(after: mark, limit: limit, for: caller, timeout: timeout)
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
    try await eventually("it waits") { fixture.headCache.watcherCount == 1 }
    let service = fixture.test.service
    _ = try await service.rename(DepartureRequest(list: Self.films), to: ListName("movies")!)
    try await fixture.headCache.refresh()
    let renamed = try await ended("it is told", waiting)
    #expect(renamed.gone == [Self.films] && renamed.lists.map(\.name.text) == ["movies"])
    _ = try await service.drop(DepartureRequest(list: .parks))
    try await fixture.headCache.refresh()
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
    let own = await changes(fixture, nil).mark
    #expect(own.count == 32 && own != mark)
    for mark in [mark, String(own.reversed()), own + "0", String(own.dropLast()), "", "x", "1-1"] {
      let answer = await changes(fixture, mark, timeout: .seconds(30))
      #expect(answer.isAll && answer.lists.count == 1, "\(mark)")
    }
  }

  @Test func pagesLeaveNothingOut() async throws {
    let fixture = try BoardFixture()
    for number in 0..<7 { try await fixture.commit(1, to: ListName("list\(number)")!) }
    try await fixture.headCache.refresh()
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
    try await eventually("it waits") { fixture.headCache.watcherCount == 1 }
    try await fixture.show(2)
    #expect(fixture.headCache.watcherCount == 1)
    try await fixture.show(1, in: Self.films)
    #expect(try await ended("it is told", waiting).lists.map(\.name) == [Self.films])
    // A list that it may not read is gone without a word.
    let later = await changes(fixture, nil, caller: caller).mark
    _ = try await fixture.test.service.drop(DepartureRequest(list: .parks))
    try await fixture.headCache.refresh()
    #expect(await changes(fixture, later, caller: caller).isEmpty)
  }

  /// A former fault: a mark was the number of the last change of any list.
  @Test func markTellsNothingOfListsThatTheCallerMayNotRead() async throws {
    let fixture = try BoardFixture()
    try await fixture.show(1, in: Self.films)
    let caller = try await fixture.caller("reader", AccessGrant(.read, ListPattern("fi*")!))
    let nobody = try await fixture.caller("nobody", AccessGrant(.read, ListPattern("x*")!))
    func marks(_ since: String?) async -> [String] {
      var marks: [String] = []
      for caller in [caller, nobody] {
        for limit in [0, 1000] {
          let found = await changes(fixture, limit == 0 ? nil : since, limit: limit, caller: caller)
          marks.append(found.mark)
        }
      }
      return marks
    }
    let first = await marks(nil)
    #expect(Set(first).count == 2)
    for value in 1...5 { try await fixture.show(value) }
    let service = fixture.test.service
    _ = try await service.rename(DepartureRequest(list: .parks), to: ListName("plains")!)
    try await fixture.headCache.refresh()
    for since in [nil, first[0]] { #expect(await marks(since) == first) }
    try await fixture.show(2, in: Self.films)
    let second = await marks(first[0])
    #expect(second[0] != first[0] && second[1] == second[0] && second[2...] == first[2...])
    #expect(await changes(fixture, first[0], caller: caller).lists.map(\.name) == [Self.films])
    #expect(await changes(fixture, second[0], caller: caller).isEmpty)
    // A list that is gone was seen, so its end is, too.
    _ = try await service.drop(DepartureRequest(list: Self.films))
    try await fixture.headCache.refresh()
    let third = await marks(second[0])
    #expect(third[0] != second[0] && third[2...] == first[2...])
    #expect(await changes(fixture, second[0], caller: caller).gone == [Self.films])
  }

  /// Two caches give the same change other marks, and no mark shows how many changes there were.
  @Test func marksAreNoNumbers() {
    let (seal, other) = (MarkSeal(), MarkSeal())
    for number in [0, 1, 2, 1 << 40, Int.max] {
      #expect(seal.number(of: seal.mark(of: number)) == number)
      #expect(other.number(of: seal.mark(of: number)) == nil)
      #expect(seal.mark(of: number) == seal.mark(of: number))
    }
    let marks = (0..<1000).map(seal.mark)
    #expect(Set(marks.map { $0.prefix(8) }).count > 990)
    #expect(Set(marks.map { $0.suffix(8) }).count > 990)
    #expect(marks.sorted() != marks)
  }

  @Test func aWaitEndsAtItsTimeAndWithTheCallersRights() async throws {
    let fixture = try BoardFixture()
    let caller = try await fixture.caller("reader", AccessGrant(.read, ListPattern("*")!))
    let mark = await changes(fixture, nil, caller: caller).mark
    let waiting = Task { await changes(fixture, mark, caller: caller, timeout: .seconds(30)) }
    try await eventually("it waits") {
      fixture.headCache.watcherCount == 1 && fixture.clock.sleeperCount == 1
    }
    fixture.clock.advance(by: .seconds(30))
    #expect(try await ended("its time is over", waiting).isEmpty)
    #expect(fixture.headCache.watcherCount == 0)
    let revoked = Task { await changes(fixture, mark, caller: caller, timeout: .seconds(30)) }
    try await eventually("it waits") { fixture.headCache.watcherCount == 1 }
    try await fixture.revoke("reader")
    #expect(try await ended("it is revoked", revoked).isEmpty)
  }
}
