import ListDocuments
import ListModel
import Testing

@testable import SyncClient

/// A server that has rewritten the history of a list.
@Suite struct ProvingTests {
  /// A server, and another one with the same lists that another author committed.
  private static func servers(_ count: Int) -> (honest: ModelServer, forged: ModelServer) {
    var servers = (honest: ModelServer(mark: 1), forged: ModelServer(mark: 2))
    for version in 1...count {
      servers.honest.commit(["a", "b=\(version)"])
      servers.forged.commit(["a", "b=\(version)"])
    }
    return servers
  }

  /// A machine with a copy of version 1 that has asked for changes.
  private static func machine(_ server: ModelServer, proves: Bool) -> ReplicaMachine {
    var options = ReplicaMachine.Options(list: ModelServer.list)
    (options.watches, options.proves) = (false, proves)
    var machine = ReplicaMachine(options)
    _ = machine.handle(.start(server.history[1]))
    return machine
  }

  private static func handle(
    _ machine: inout ReplicaMachine, _ answer: ReplicaAnswer
  ) -> [ReplicaMachine.Effect] {
    guard case .asking(let request) = machine.state else { return [] }
    return machine.handle(
      .answered(request.number, answer, .init(elapsedSeconds: 2, random: 0)))
  }

  /// The changes of one server as if they started from another's version 1.
  private static func changes(
    _ server: ModelServer, to version: Int, from start: ListCopy
  ) -> ReplicaAnswer {
    let changes = server.changes(from: 1, to: version)
    return .changes(
      DeltaDocument(
        list: changes.list, from: start.state, to: changes.to, oldest: changes.oldest,
        changes: changes.changes))
  }

  private static func headers(
    _ server: ModelServer, _ versions: ClosedRange<Int>
  ) -> [VersionHeader] {
    versions.reversed().compactMap { server.history[$0].state.header }
  }

  @Test func theNextVersionProvesWithoutARequestThatItContinuesTheCopy() {
    let (honest, forged) = Self.servers(4)
    for proves in [false, true] {
      var machine = Self.machine(honest, proves: proves)
      let start = honest.history[1]
      _ = Self.handle(&machine, Self.changes(forged, to: 2, from: start))
      #expect(
        machine.state
          == .failed(.rewritten(from: start.cursor, to: forged.history[2].cursor)))
      #expect(machine.copy == start)
      machine = Self.machine(honest, proves: proves)
      guard case .save? = Self.handle(&machine, Self.changes(honest, to: 2, from: start)).first
      else {
        Issue.record("\(machine.state)")
        continue
      }
    }
  }

  @Test func laterVersionsAreProvedByTheHeadersBetweenInPages() throws {
    let (honest, forged) = Self.servers(6)
    let start = honest.history[1]
    var machine = Self.machine(honest, proves: true)
    let effects = Self.handle(&machine, Self.changes(honest, to: 6, from: start))
    guard case .send(let request)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(request.target == "/v1/lists/parks/versions?before=6&limit=4")
    let first = Self.handle(&machine, .headers(Self.headers(honest, 4...5))).first
    guard case .send(let next)? = first else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(next.target == "/v1/lists/parks/versions?before=4&limit=2")
    let last = Self.handle(&machine, .headers(Self.headers(honest, 1...3))).first
    guard case .save(_, let step)? = last else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(step.after == honest.history[6])
    // One header is another one, or missing.
    for bad in [
      Self.headers(honest, 4...5) + Self.headers(forged, 3...3) + Self.headers(honest, 2...2),
      Self.headers(honest, 4...5) + Self.headers(honest, 2...2), Self.headers(forged, 2...5),
      Self.headers(honest, 2...4), Self.headers(honest, 2...6),
      Self.headers(honest, 3...5) + Self.headers(forged, 2...2),
    ] {
      var machine = Self.machine(honest, proves: true)
      _ = Self.handle(&machine, Self.changes(honest, to: 6, from: start))
      _ = Self.handle(&machine, .headers(bad))
      #expect(
        machine.state == .failed(.rewritten(from: start.cursor, to: honest.history[6].cursor)))
    }
  }

  @Test func forgedHistoryIsAcceptedWithoutAProofAndRefusedWithOne() {
    let (honest, forged) = Self.servers(3)
    let start = honest.history[1]
    let answer = Self.changes(forged, to: 3, from: start)
    var machine = Self.machine(honest, proves: false)
    guard case .save? = Self.handle(&machine, answer).first else {
      Issue.record("\(machine.state)")
      return
    }
    machine = Self.machine(honest, proves: true)
    _ = Self.handle(&machine, answer)
    _ = Self.handle(&machine, .headers(Self.headers(forged, 2...2)))
    #expect(
      machine.state == .failed(.rewritten(from: start.cursor, to: forged.history[3].cursor)))
  }

  @Test func wholeListsAreProvedOrRefused() {
    let (honest, forged) = Self.servers(3)
    let start = honest.history[1]
    func state(after answer: ReplicaAnswer) -> ReplicaMachine.State {
      var machine = Self.machine(honest, proves: true)
      _ = Self.handle(&machine, answer)
      return machine.state
    }
    let end = honest.history[3].cursor
    #expect(
      state(after: .snapshot(honest.whole(.tooOld)))
        == .failed(.unproven(from: start.cursor, to: end)))
    #expect(
      state(after: .snapshot(forged.whole(.diverged)))
        == .failed(.rewritten(from: start.cursor, to: forged.history[3].cursor)))
    guard
      case .asking(let request) = state(
        after: .snapshot(honest.whole(.smaller, from: start.state)))
    else {
      Issue.record("no request")
      return
    }
    #expect(request.purpose == .prove(upTo: honest.history[2].cursor))
  }

  @Test func headersThatTheServerNoLongerHasProveNothing() {
    let (honest, _) = Self.servers(4)
    let start = honest.history[1]
    var machine = Self.machine(honest, proves: true)
    _ = Self.handle(&machine, Self.changes(honest, to: 4, from: start))
    _ = Self.handle(&machine, .headers(Self.headers(honest, 3...3)))
    _ = Self.handle(&machine, .headers([]))
    #expect(
      machine.state == .failed(.unproven(from: start.cursor, to: honest.history[4].cursor)))
  }

  @Test func lostAnswerIsAskedForAgainAndAPauseBeginsWithTheChanges() {
    let (honest, _) = Self.servers(4)
    var machine = Self.machine(honest, proves: true)
    _ = Self.handle(&machine, Self.changes(honest, to: 4, from: honest.history[1]))
    guard
      case .setTimer(let timer, _)? = Self.handle(
        &machine, .unavailable(.network(reason: "lost"))
      ).first
    else {
      Issue.record("\(machine.state)")
      return
    }
    _ = machine.handle(.timerFired(timer))
    guard case .asking(let again) = machine.state else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(again.purpose == .prove(upTo: honest.history[3].cursor))
    _ = machine.handle(.pause)
    _ = machine.handle(.resume)
    guard case .asking(let request) = machine.state else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(request.purpose == .catchUp)
  }
}
