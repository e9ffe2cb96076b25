import ListChanges
import ListDocuments
import ListModel
import Testing

@testable import GRDBReplica
@testable import SyncClient

/// A replica with a key.
@Suite struct SigningTests {
  private let key = SigningKey(name: "lists.example")!
  private let server: ModelServer

  init() {
    var server = ModelServer()
    for version in 1...6 { server.commit(["a", "b=\(version)"]) }
    self.server = server
  }

  private func note(
    _ version: Int, _ server: ModelServer? = nil, by keys: [SigningKey]? = nil,
    of list: ListName = ModelServer.list
  ) -> String {
    HeadSigner(keys ?? [key]).note(of: list, at: (server ?? self.server).history[version].state)!
  }

  /// A copy of a version, with its signed head.
  private func copy(_ version: Int) throws -> ListCopy {
    var copy = server.history[version]
    copy.trust = try HeadTrust(
      key.verifier, note(version), of: ModelServer.list, at: copy.state)
    return copy
  }

  /// A machine that has asked for changes.
  private func machine(
    from copy: ListCopy, key: VerifierKey? = nil, proves: Bool = false
  ) -> ReplicaMachine {
    var options = ReplicaMachine.Options(list: ModelServer.list)
    (options.watches, options.key, options.proves) = (false, key ?? self.key.verifier, proves)
    var machine = ReplicaMachine(options)
    _ = machine.handle(.start(copy))
    return machine
  }

  @discardableResult
  private func handle(
    _ machine: inout ReplicaMachine, _ answer: ReplicaAnswer
  ) -> [ReplicaMachine.Effect] {
    guard case .asking(let request) = machine.state else { return [] }
    return machine.handle(.answered(request.number, answer, .init(elapsedSeconds: 2, random: 0)))
  }

  private func changes(
    _ from: Int, _ to: Int, more: Bool = false, note: String? = nil, _ server: ModelServer? = nil
  ) -> ReplicaAnswer {
    var document = (server ?? self.server).changes(from: from, to: to, more: more)
    document.note = note
    return .changes(document)
  }

  private func whole(
    _ version: Int, _ reason: WholeListReason, from: ListState? = nil, note: String? = nil,
    more: Bool = false, _ server: ModelServer? = nil
  ) -> ReplicaAnswer {
    var document = (server ?? self.server).whole(reason, from: from, at: version)
    (document.note, document.more) = (note, more)
    return .snapshot(document)
  }

  private func savedStep(_ effects: [ReplicaMachine.Effect]) -> ReplicaStep? {
    if case .save(_, let step)? = effects.first { step } else { nil }
  }

  private func refusal(_ machine: ReplicaMachine) -> HeadRefusal? {
    if case .failed(.untrusted(let refusal)) = machine.state { refusal } else { nil }
  }

  @Test func aSignedAnswerIsSavedWithItsNote() throws {
    var machine = machine(from: try copy(1))
    let step = savedStep(handle(&machine, changes(1, 3, note: note(3))))
    #expect(step?.after == server.history[3])
    #expect(step?.after.trust?.note == note(3))
  }

  @Test func anUnsignedAnswerIsRefused() throws {
    for answer in [changes(1, 3), whole(3, .tooOld)] {
      var machine = machine(from: try copy(1))
      handle(&machine, answer)
      #expect(refusal(machine) == .unsigned)
      #expect(machine.copy == server.history[1])
    }
  }

  @Test func unsignedAnswersOnTheWayAreHeldUntilASignedOneComes() throws {
    var machine = machine(from: try copy(1))
    for (from, to) in [(1, 2), (2, 4)] {
      let effects = handle(&machine, changes(from, to, more: true))
      guard case .send(let request)? = effects.first else {
        Issue.record("\(effects)")
        return
      }
      #expect(request.since == server.history[to].cursor && request.purpose == .catchUp)
      #expect(machine.copy == server.history[1] && machine.base == server.history[to])
    }
    let step = try #require(savedStep(handle(&machine, changes(4, 6, note: note(6)))))
    #expect(step.before == server.history[1] && step.after == server.history[6])
    #expect(step.reason == .changes)
    #expect(
      step.changes == server.history[1].snapshot.changes(to: server.history[6].snapshot))
  }

  @Test func heldAnswersOfAWholeListKeepItsReason() throws {
    for (copy, reason) in [(ListCopy.empty, WholeListReason.first), (try copy(1), .tooOld)] {
      var machine = machine(from: copy)
      handle(&machine, whole(4, reason, from: copy == .empty ? .zero : nil, more: true))
      let step = try #require(savedStep(handle(&machine, changes(4, 6, note: note(6)))))
      #expect(step.reason == .wholeList(reason) && step.after == server.history[6])
      #expect(step.changes == copy.snapshot.changes(to: server.history[6].snapshot))
    }
  }

  @Test func whatWasHeldIsNeverSavedWithoutASignedEnd() throws {
    for answer: ReplicaAnswer in [
      changes(2, 4), .notModified(nil), changes(2, 2), changes(2, 2, note: note(1)),
      changes(2, 4, note: note(3)),
      changes(2, 4, note: note(4, by: [SigningKey(name: "other")!])),
    ] {
      var machine = machine(from: try copy(1))
      handle(&machine, changes(1, 2, more: true))
      handle(&machine, answer)
      #expect(refusal(machine) != nil, "\(answer)")
      #expect(machine.copy == server.history[1] && machine.base == machine.copy)
    }
  }

  @Test func afterAMismatchNothingIsHeld() throws {
    var machine = machine(from: try copy(1))
    handle(&machine, changes(1, 2, more: true))
    handle(&machine, .damaged(.noCursor))
    #expect(machine.base == server.history[1])
    let step = savedStep(handle(&machine, whole(6, .first, from: .zero, note: note(6))))
    #expect(step?.reason == .mismatch(.noCursor) && step?.after == server.history[6])
  }

  @Test func anotherListAnotherKeyAndAnOlderHeadAreRefused() throws {
    let films = try #require(ListName("films"))
    for (note, kind) in [
      (note(3, of: films), "other-list"), (note(3, by: [SigningKey(name: "a")!]), "other-key"),
      (note(2), "false-signature"), ("", "false-signature"),
    ] {
      var machine = machine(from: try copy(1))
      handle(&machine, changes(1, 3, note: note))
      #expect(refusal(machine)?.kind == kind)
    }
    var machine = machine(from: try copy(4))
    handle(&machine, .noDelta(.diverged))
    handle(&machine, whole(3, .first, from: .zero, note: note(3)))
    #expect(
      refusal(machine)
        == .older(server.history[3].cursor, than: server.history[4].cursor))
  }

  @Test func aForkKeepsBothNotes() throws {
    var other = ModelServer(mark: 2)
    for version in 1...6 { other.commit(["a", "b=\(version)"]) }
    var machine = machine(from: try copy(4))
    handle(&machine, .noDelta(.diverged))
    handle(&machine, whole(4, .first, from: .zero, note: note(4, other), other))
    #expect(refusal(machine) == .forked(kept: note(4), found: note(4, other)))
    #expect(machine.copy == server.history[4])
  }

  @Test func aSignedListOfAnotherHistoryIsRewritten() throws {
    var other = ModelServer(mark: 2)
    for version in 1...6 { other.commit(["a", "b=\(version)"]) }
    var machine = machine(from: try copy(4))
    handle(&machine, .noDelta(.diverged))
    handle(&machine, whole(6, .first, from: .zero, note: note(6, other), other))
    #expect(
      machine.state
        == .failed(.rewritten(from: server.history[4].cursor, to: other.history[6].cursor)))
  }

  @Test func aCopyThatTheKeyHasNotSignedIsGotAnew() throws {
    let other = try #require(SigningKey(name: "other"))
    for start in [server.history[4], try copy(4)] {
      let key = start.trust == nil ? key : other
      var machine = machine(from: start, key: key.verifier)
      guard case .asking(let request) = machine.state else {
        Issue.record("\(machine.state)")
        return
      }
      #expect(request.purpose == .startOver && request.since == .zero)
      // Also an older one: nobody has signed the copy.
      let step = savedStep(
        handle(&machine, whole(3, .first, from: .zero, note: note(3, by: [key]))))
      #expect(step?.after == server.history[3] && step?.reason == .wholeList(.first))
    }
  }

  @Test func aKeyThatTookOverIsKeptWithTheCopy() throws {
    let next = try #require(SigningKey(name: "next"))
    var machine = machine(from: try copy(1))
    let step = try #require(
      savedStep(handle(&machine, changes(1, 2, note: note(2, by: [key, next])))))
    #expect(step.after.trust?.present == next.verifier)
    for given in [key, next] {
      var later = self.machine(from: step.after, key: given.verifier)
      #expect(savedStep(handle(&later, changes(2, 3, note: note(3, by: [next])))) != nil)
      later = self.machine(from: step.after, key: given.verifier)
      handle(&later, changes(2, 3, note: note(3)))
      #expect(refusal(later)?.kind == "other-key")
    }
  }

  @Test func theNoteOfADocumentWithoutNewsIsReadToo() throws {
    let next = try #require(SigningKey(name: "next"))
    var machine = machine(from: try copy(2))
    let step = savedStep(handle(&machine, changes(2, 2, note: note(2, by: [key, next]))))
    #expect(step?.changes.isEmpty == true && step?.after.trust?.present == next.verifier)
    for (note, kind) in [
      (nil, "unsigned"), (note(2, by: [next]), "other-key"), (note(1), "false-signature"),
    ] {
      machine = self.machine(from: try copy(2))
      handle(&machine, changes(2, 2, note: note))
      #expect(refusal(machine)?.kind == kind)
    }
    machine = self.machine(from: try copy(2))
    #expect(handle(&machine, changes(2, 2, note: note(2))).isEmpty && machine.state == .current)
    machine = self.machine(from: try copy(2))
    #expect(handle(&machine, .notModified(nil)).isEmpty && machine.state == .current)
  }

  @Test func theEmptyListOfVersion0NeedsANoteToo() throws {
    // A former fault: whoever serves the list showed an empty one to a reader with a key.
    for answer: ReplicaAnswer in [
      .notModified(nil), changes(0, 0), whole(0, .first, from: .zero),
    ] {
      var machine = machine(from: .empty)
      handle(&machine, answer)
      #expect(refusal(machine) == .unsigned, "\(answer)")
    }
    var machine = machine(from: .empty)
    let step = try #require(savedStep(handle(&machine, changes(0, 0, note: note(0)))))
    #expect(step.after == .empty && step.after.trust?.note == note(0))
    machine = self.machine(from: step.after)
    #expect(handle(&machine, .notModified(nil)).isEmpty && machine.state == .current)
  }

  @Test func aDocumentWithoutNewsSignsWhatIsHeld() throws {
    var machine = machine(from: try copy(1))
    handle(&machine, changes(1, 4, more: true))
    let step = savedStep(handle(&machine, changes(4, 4, note: note(4))))
    #expect(step?.before == server.history[1] && step?.after == server.history[4])
    #expect(step?.reason == .changes)
  }

  @Test func aHeldListOfAnotherHistoryIsRewrittenToo() throws {
    // A former fault: a whole list without a note, and then a signed page, were taken.
    var other = ModelServer()
    for version in 1...6 { other.commit(["a", "b=\(version)", "c"]) }
    for reason in [WholeListReason.diverged, .tooOld] {
      var machine = machine(from: try copy(4))
      handle(&machine, whole(5, reason, from: nil, more: true, other))
      let effects = handle(&machine, changes(5, 6, note: note(6, other), other))
      if reason == .tooOld {
        #expect(savedStep(effects)?.after.cursor == other.history[6].cursor)
      } else {
        #expect(
          machine.state
            == .failed(
              .rewritten(from: server.history[4].cursor, to: other.history[6].cursor)))
      }
    }
  }

  @Test func anotherHistoryOfWhatIsHeldIsNotThatOfTheCopy() throws {
    var machine = machine(from: try copy(1))
    handle(&machine, changes(1, 2, more: true))
    handle(&machine, .noDelta(.diverged))
    #expect(savedStep(handle(&machine, whole(6, .first, from: .zero, note: note(6)))) != nil)
    // Nor is a list of the copy's own state.
    machine = self.machine(from: try copy(3))
    handle(&machine, .noDelta(.diverged))
    #expect(savedStep(handle(&machine, whole(3, .first, from: .zero, note: note(3)))) != nil)
  }

  @Test func aCopyThatTheKeyHasNotSignedIsNotShown() async throws {
    let transport = FakeTransport(server)
    for trusted in [true, false] {
      var options = ReplicaMachine.Options(list: ModelServer.list)
      options.key = key.verifier
      let saved = trusted ? try copy(2) : server.history[2]
      let session = ReplicaSession(
        options, origin: ServerOrigin(transport: transport), storage: ReplicaMemory(saved),
        clock: .immediate)
      #expect(try await session.start() == (trusted ? saved : .empty))
      await session.stop()
    }
  }

  @Test func aReaderKeepsACopyThatTheKeyHasNotSignedUntilASignedOneComes() async throws {
    // A former fault: the reader got a step to the empty list, and "pull --key" saved it.
    let saved = server.history[2]
    var options = ReplicaMachine.Options(list: ModelServer.list)
    (options.key, options.watches) = (key.verifier, false)
    let storage = ReplicaMemory(saved)
    let session = ReplicaSession(
      options, origin: ServerOrigin(transport: FakeTransport(server)), storage: storage,
      clock: .immediate)
    var early = session.updates(after: saved).makeAsyncIterator()
    try await session.start()
    var updates = session.updates(after: saved).makeAsyncIterator()
    await #expect(throws: ReplicaError.untrusted(.unsigned)) { try await updates.next() }
    await #expect(throws: ReplicaError.untrusted(.unsigned)) { try await early.next() }
    #expect(await storage.load() == saved)
  }

  @Test func heldAnswersAreProvedOneAfterTheOther() throws {
    var machine = machine(from: try copy(1), proves: true)
    func headers(_ versions: ClosedRange<Int>) -> ReplicaAnswer {
      .headers(versions.reversed().compactMap { server.history[$0].state.header })
    }
    handle(&machine, changes(1, 3, more: true))
    handle(&machine, headers(2...2))
    #expect(machine.base == server.history[3] && machine.copy == server.history[1])
    handle(&machine, changes(3, 6, note: note(6)))
    let step = savedStep(handle(&machine, headers(4...5)))
    #expect(step?.before == server.history[1] && step?.after == server.history[6])
  }

  @Test func withoutAKeyNotesAreIgnored() throws {
    var options = ReplicaMachine.Options(list: ModelServer.list)
    options.watches = false
    var machine = ReplicaMachine(options)
    _ = machine.handle(.start(server.history[1]))
    let step = savedStep(handle(&machine, changes(1, 3, note: "no note")))
    #expect(step?.after == server.history[3] && step?.after.trust == nil)
  }

  @Test func heldAnswersOfRowsAreSavedWithTheirSignedEnd() async throws {
    let fixture = try TableFixture()
    let storage = TableStorage(
      fixture.writer, TableFixture.source, TableFixture.table, UpdateLog())
    var machine = machine(from: try await storage.load())
    for answers in [
      [changes(0, 1, note: note(1))],
      [changes(1, 2, more: true), changes(2, 3, more: true), changes(3, 5, note: note(5))],
    ] {
      _ = machine.handle(.resume)
      var effects: [ReplicaMachine.Effect] = []
      for answer in answers { effects = handle(&machine, answer) }
      let step = try #require(savedStep(effects))
      let copy = try await storage.saveRows(step, nil)
      guard case .saving(let saving) = machine.state else { preconditionFailure("it is saving") }
      _ = machine.handle(.saved(saving.number))
      _ = machine.replaceCopy(by: copy)
    }
    let (copy, _) = try await storage.reload()
    #expect(copy == server.history[5] && copy.trust?.note == note(5))
    #expect(try fixture.items() == server.history[5].snapshot.items)
    try fixture.check()
  }
}
