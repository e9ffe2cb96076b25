import ListModel
import Testing

@testable import SyncClient

/// The states of the transition table.
enum StateName: String, CaseIterable {
  case idle
  case startingOver = "starting over"
  case catchingUp = "catching up"
  case watching
  case waiting
  case saving
  case savingToPause = "saving, then pausing"
  case savingToStop = "saving, then stopping"
  case current
  case paused
  case stopped
  case failed

  init(_ state: ReplicaMachine.State) {
    switch state {
    case .idle: self = .idle
    case .asking(let request):
      switch request.purpose {
      case .startOver: self = .startingOver
      // What proving adds is in ProvingTests.
      case .catchUp, .prove: self = .catchingUp
      // The machine of the edits sends these.
      case .commit: preconditionFailure("the machine of the copy sends no edits")
      case .watch: self = .watching
      }
    case .waiting: self = .waiting
    case .saving(let saving):
      switch saving.next {
      case .proceed: self = .saving
      case .pause: self = .savingToPause
      case .stop: self = .savingToStop
      }
    case .current: self = .current
    case .paused: self = .paused
    case .stopped: self = .stopped
    case .failed: self = .failed
    }
  }
}

/// The other data of a machine that decide the effects of an event.
struct Circumstances {
  var watches = true
  /// Whether it started over since the last changes that fitted.
  var hasStartedOver = false
  /// Whether it is saving a page with more to come.
  var savesPage = false
  /// Whether it is saving the second whole list since the server last had nothing new.
  var startsOverAgain = false
  var tryLimit: Int?
}

/// A machine in a given state, over a list of three versions; the copy has the first.
struct MachineFixture {
  static let server = {
    var server = ModelServer()
    server.commit(["a", "b", "c"])
    server.commit(["c", "a", "b=1"])
    server.commit(["c", "d", "b=1"])
    return server
  }()
  static let timing = ReplicaMachine.ResponseTiming(elapsedSeconds: 5, random: 0.5)

  var machine: ReplicaMachine

  init(_ state: StateName, _ circumstances: Circumstances = Circumstances()) {
    // The state itself shows whether a machine that is up to date watches.
    let watches = state == .current ? false : circumstances.watches || state == .watching
    let retry = RetryRule(tryLimit: circumstances.tryLimit.map { $0 + (state == .waiting ? 1 : 0) })
    machine = ReplicaMachine(
      ReplicaMachine.Options(list: ModelServer.list, watches: watches, retry: retry))
    if state == .idle { return }
    handle(.start(Self.server.history[1]))
    reach(state, circumstances)
    if circumstances.hasStartedOver { machine.hasStartedOver = true }
  }

  private mutating func reach(_ state: StateName, _ circumstances: Circumstances) {
    switch state {
    case .idle, .catchingUp: break
    case .startingOver: answer(.damaged(.noCursor))
    case .watching, .current: answer(.notModified(nil))
    case .waiting: answer(.unavailable(.network(reason: "lost")))
    case .saving, .savingToPause, .savingToStop:
      if circumstances.startsOverAgain {
        machine.startOverCount = 1
        answer(.snapshot(Self.server.whole(.diverged)))
      } else {
        answer(.changes(Self.server.changes(from: 1, to: 2, more: circumstances.savesPage)))
      }
      if state == .savingToPause { handle(.pause) }
      if state == .savingToStop { handle(.stop) }
    case .paused: handle(.pause)
    case .stopped: handle(.stop)
    case .failed: answer(.refused(.forbidden(detail: nil)))
    }
  }

  @discardableResult
  mutating func handle(_ event: ReplicaMachine.Event) -> [ReplicaMachine.Effect] {
    machine.handle(event)
  }

  @discardableResult
  mutating func answer(_ answer: ReplicaAnswer) -> [ReplicaMachine.Effect] {
    handle(.answered(pendingNumber, answer, Self.timing))
  }

  /// The number that the machine waits for; a number it never used if it waits for nothing.
  var pendingNumber: Int {
    switch machine.state {
    case .asking(let request): request.number
    case .waiting(let wait): wait.number
    case .saving(let saving): saving.number
    case .idle, .current, .paused, .stopped, .failed: 1_000_000
    }
  }
}
