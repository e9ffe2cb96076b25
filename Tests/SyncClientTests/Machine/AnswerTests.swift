import ListChanges
import ListDocuments
import ListModel
import Testing

@testable import SyncClient

/// Answers that are well formed but wrong.
@Suite struct AnswerTests {
  private let server = MachineFixture.server

  /// Changes that lead from the copy's version to another state.
  private func changes(to state: ListState, more: Bool = false) -> ReplicaAnswer {
    let copy = server.history[1]
    var delta = Delta(
      list: ModelServer.list, from: copy.state, to: state, oldest: nil,
      changes: copy.snapshot.changes(to: copy.snapshot))
    delta.more = more
    return .changes(DeltaDocument(delta))
  }

  private func state(_ cursor: String?) -> ListState {
    let state = server.history[1].state
    return ListState(
      cursor: cursor.flatMap { Cursor($0) }, count: state.count, root: state.root)
  }

  private func expect(_ mismatch: Mismatch, for answer: ReplicaAnswer) {
    var fixture = MachineFixture(.watching)
    fixture.answer(answer)
    #expect(fixture.machine.startOver == .mismatch(mismatch))
    #expect(fixture.machine.copy == server.history[1])
  }

  /// They lead to no later version, or to the same version with more to come.
  @Test func changesWithoutProgressAreAMismatch() throws {
    for cursor in ["0-000000000abc00000000000000000000", "1-000000000abc00000000000000000000"] {
      expect(.noProgress(to: try #require(Cursor(cursor))), for: changes(to: state(cursor)))
    }
    let copy = server.history[1]
    expect(.noProgress(to: copy.cursor), for: changes(to: copy.state, more: true))
  }

  @Test func changesToTheSameVersionAreNoNewsAndALaterVersionOfEqualItemsIsAStep() throws {
    var fixture = MachineFixture(.catchingUp)
    fixture.answer(changes(to: server.history[1].state))
    #expect(StateName(fixture.machine.state) == .watching)
    fixture.answer(changes(to: state("3-000000000abc00000000000000000000")))
    fixture.handle(.saved(fixture.pendingNumber))
    #expect(fixture.machine.copy.cursor == Cursor("3-000000000abc00000000000000000000"))
    #expect(fixture.machine.copy.snapshot == server.history[1].snapshot)
  }

  @Test func answerWithoutACursorOrForAnotherListIsAMismatch() {
    expect(.noCursor, for: changes(to: state(nil)))
    let other = ListName("lakes")!
    let copy = server.history[1]
    expect(
      .otherList(other),
      for: .changes(
        DeltaDocument(
          Delta(
            list: other, from: copy.state, to: server.history[2].state, oldest: nil,
            changes: copy.snapshot.changes(to: server.history[2].snapshot)))))
    expect(
      .otherList(other),
      for: .snapshot(
        SnapshotDelta(
          list: other, from: nil, to: copy.state, oldest: Version(1), snapshot: copy.snapshot,
          reason: .diverged)))
  }

  @Test func notModifiedForAnotherCursorOrForTheWholeListIsMisdelivered() {
    for (state, cursor) in [
      (StateName.catchingUp, Cursor("9-000000000abc00000000000000000000")),
      (.watching, Cursor("9-000000000abc00000000000000000000")),
      (.startingOver, nil),
    ] {
      var fixture = MachineFixture(state)
      fixture.answer(.notModified(cursor))
      guard case .waiting(let wait) = fixture.machine.state else {
        Issue.record("\(fixture.machine.state)")
        continue
      }
      #expect(wait.cause == .misdelivered)
    }
    var fixture = MachineFixture(.catchingUp)
    fixture.answer(.notModified(server.history[1].cursor))
    #expect(StateName(fixture.machine.state) == .watching)
  }

  @Test func firstOrSmallerWholeListMustStartFromTheStateOfTheCopy() {
    for reason in [WholeListReason.first, .smaller] {
      var fixture = MachineFixture(.catchingUp)
      fixture.answer(.snapshot(server.whole(reason, from: server.history[2].state)))
      #expect(StateName(fixture.machine.state) == .waiting)
      fixture = MachineFixture(.catchingUp)
      fixture.answer(.snapshot(server.whole(reason, from: server.history[1].state)))
      #expect(StateName(fixture.machine.state) == .saving)
    }
  }

  @Test func replicaFailsWithTheNamedRefusalWhenTheWholeListIsRefusedToo() {
    var fixture = MachineFixture(.catchingUp)
    fixture.answer(.noDelta(.tooOld))
    #expect(StateName(fixture.machine.state) == .startingOver)
    fixture.answer(.noDelta(.tooOld))
    guard case .failed(.refused(status: 410, _, _)) = fixture.machine.state else {
      Issue.record("\(fixture.machine.state)")
      return
    }
  }

  /// A page that leads to a version without a change, as the answer to the machine's request.
  private func emptyPage(to version: Int, more: Bool, in fixture: MachineFixture) -> ReplicaAnswer {
    let copy = fixture.machine.copy
    let header = VersionHeader(
      version: Version(version), note: CommitNote(time: Timestamp(millisecondsSince1970: 0)),
      root: copy.state.root, previous: copy.state.header?.chain ?? .zero)
    let state = ListState(header, count: copy.state.count)
    var delta = Delta(
      list: ModelServer.list, from: copy.state, to: state, oldest: nil,
      changes: copy.snapshot.changes(to: copy.snapshot))
    delta.more = more
    return .changes(DeltaDocument(delta))
  }

  @Test func machineStopsWithANamedErrorAfterTooManyEmptyPages() {
    var fixture = MachineFixture(.catchingUp)
    var (version, pageCount, startCount) = (10, 0, 0)
    while pageCount < 1000 {
      if case .failed(let error) = fixture.machine.state {
        let expected = Mismatch.emptyPages(count: ReplicaMachine.highestEmptyPageCount + 1)
        #expect(error == .mismatchAgain(expected))
        break
      }
      if StateName(fixture.machine.state) == .startingOver {
        startCount += 1
        fixture.answer(.snapshot(server.whole(.first, from: .zero, at: 1)))
        fixture.handle(.saved(fixture.pendingNumber))
        // A whole list has no further pages: the machine asks again when it resumes or watches.
        continue
      }
      fixture.answer(emptyPage(to: version, more: true, in: fixture))
      version += 1
      pageCount += 1
      if StateName(fixture.machine.state) == .saving {
        fixture.handle(.saved(fixture.pendingNumber))
      }
    }
    #expect(startCount == 1)
    #expect(pageCount == 2 * (ReplicaMachine.highestEmptyPageCount + 1))
  }

  @Test func machineDelaysTheRequestAfterAVersionWithoutChanges() {
    for (seconds, state) in [(0.1, StateName.waiting), (5, .watching)] {
      var fixture = MachineFixture(.watching)
      let answer = emptyPage(to: 10, more: false, in: fixture)
      fixture.handle(
        .answered(fixture.pendingNumber, answer, .init(elapsedSeconds: seconds, random: 0.5)))
      fixture.handle(.saved(fixture.pendingNumber))
      #expect(StateName(fixture.machine.state) == state)
    }
  }

  @Test func tooLongRetryDelayFailsAtOnceUnderATryLimit() {
    let cause = Unavailability.status(503, detail: nil)
    for (limit, state) in [(nil, StateName.waiting), (4, .failed)] {
      var fixture = MachineFixture(.catchingUp, Circumstances(tryLimit: limit))
      fixture.answer(.unavailable(cause, retryAfterSeconds: 3600))
      #expect(StateName(fixture.machine.state) == .waiting)
      fixture = MachineFixture(.catchingUp, Circumstances(tryLimit: limit))
      fixture.answer(.unavailable(cause, retryAfterSeconds: 3601))
      #expect(StateName(fixture.machine.state) == state)
      if limit != nil {
        #expect(fixture.machine.state == .failed(.askedToWait(seconds: 3601, cause)))
      }
    }
  }
}
