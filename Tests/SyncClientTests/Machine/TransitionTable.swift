import ListModel

@testable import SyncClient

/// The machine's transition table as text, computed from the machine itself.
enum TransitionTable {
  struct Row {
    let title: String
    var circumstances = Circumstances()
    /// The event, given the state's pending number.
    let event: (MachineFixture) -> ReplicaMachine.Event
  }

  /// The lines of the table, as in the documentation.
  static var lines: [String] {
    let head = ["event"] + StateName.allCases.map(\.rawValue)
    let rule = head.map { _ in "---" }
    let body = rows.map { row in [row.title] + StateName.allCases.map { cell(row, $0) } }
    return ([head, rule] + body).map { "| " + $0.joined(separator: " | ") + " |" }
  }

  /// The next state, followed by the effects; a dot if the event changes nothing.
  private static func cell(_ row: Row, _ state: StateName) -> String {
    var fixture = MachineFixture(state, row.circumstances)
    let before = fixture.machine.state
    let effects = fixture.handle(row.event(fixture))
    if effects.isEmpty, fixture.machine.state == before { return "·" }
    let name = StateName(fixture.machine.state).rawValue
    return effects.isEmpty ? name : "\(name): \(effects.map(word).joined(separator: ", "))"
  }

  private static func word(_ effect: ReplicaMachine.Effect) -> String {
    switch effect {
    case .send: "send"
    case .cancel: "cancel"
    case .setTimer: "set timer"
    case .cancelTimer: "cancel timer"
    case .save: "save"
    case .show: "show"
    }
  }

  private static func answered(
    _ title: String, _ circumstances: Circumstances = Circumstances(),
    timing: ReplicaMachine.ResponseTiming = MachineFixture.timing,
    _ answer: @escaping (MachineFixture) -> ReplicaAnswer
  ) -> Row {
    Row(title: title, circumstances: circumstances) {
      .answered($0.pendingNumber, answer($0), timing)
    }
  }

  private static var server: ModelServer { MachineFixture.server }

  /// Changes from the machine's version up to the given number of versions before the last one.
  private static func changes(_ fixture: MachineFixture, more: Bool) -> ReplicaAnswer {
    let start = StateName(fixture.machine.state) == .startingOver ? 0 : 1
    return .changes(server.changes(from: start, to: more ? 2 : 3, more: more))
  }

  static var rows: [Row] {
    [Row(title: "start") { _ in .start(server.history[1]) }] + answerRows + [
      Row(title: "an answer to an older request") {
        .answered($0.pendingNumber - 1, .notModified(nil), MachineFixture.timing)
      },
      Row(title: "timer fired") { .timerFired($0.pendingNumber) },
      Row(title: "an older timer fired") { .timerFired($0.pendingNumber - 1) },
      Row(title: "saved") { .saved($0.pendingNumber) },
      Row(title: "saved, with more to come", circumstances: Circumstances(savesPage: true)) {
        .saved($0.pendingNumber)
      },
      Row(title: "saved; it does not watch", circumstances: Circumstances(watches: false)) {
        .saved($0.pendingNumber)
      },
      Row(
        title: "saved, started over again", circumstances: Circumstances(startsOverAgain: true)
      ) {
        .saved($0.pendingNumber)
      },
      Row(title: "an older save is done") { .saved($0.pendingNumber - 1) },
      Row(title: "save failed") {
        .saveFailed($0.pendingNumber, .notSaved(reason: "the disk is full"))
      },
      Row(title: "an older save failed") {
        .saveFailed($0.pendingNumber - 1, .notSaved(reason: "the disk is full"))
      },
      Row(title: "pause") { _ in .pause },
      Row(title: "resume") { _ in .resume },
      Row(title: "stop") { _ in .stop },
    ]
  }

  private static var answerRows: [Row] {
    [
      answered("changes") { changes($0, more: false) },
      answered("changes, with more to come") { changes($0, more: true) },
      answered("the whole list") { _ in .snapshot(server.whole(.tooOld)) },
      answered("nothing new") { fixture in
        StateName(fixture.machine.state) == .startingOver
          ? .changes(ModelServer().changes(from: 0, to: 0)) : .notModified(nil)
      },
      answered("nothing new; it does not watch", Circumstances(watches: false)) { fixture in
        StateName(fixture.machine.state) == .startingOver
          ? .changes(ModelServer().changes(from: 0, to: 0)) : .notModified(nil)
      },
      answered(
        "nothing new, at once", timing: .init(elapsedSeconds: 0, random: 0.5)
      ) { fixture in
        StateName(fixture.machine.state) == .startingOver
          ? .changes(ModelServer().changes(from: 0, to: 0)) : .notModified(nil)
      },
      answered("an answer to another query") { _ in
        .changes(server.changes(from: 2, to: 3))
      },
      answered("a mismatch") { _ in .damaged(.noCursor) },
      answered("a mismatch, the second in a row", Circumstances(hasStartedOver: true)) { _ in
        .damaged(.noCursor)
      },
      answered("no delta (409, 410)") { _ in .noDelta(.tooOld) },
      answered("unavailable") { _ in .unavailable(.status(503, detail: nil)) },
      answered("unavailable, at the last try", Circumstances(tryLimit: 1)) { _ in
        .unavailable(.status(503, detail: nil))
      },
      answered("refused") { _ in .refused(.unauthenticated(detail: nil)) },
    ]
  }
}
