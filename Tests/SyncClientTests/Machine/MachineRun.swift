import ListModel
import TestSupport

@testable import SyncClient

/// A machine against a random server. Answers are lost, damaged, doubled, late, or for another
/// query; saves fail; the server restores a backup. The run records all of the machine's
/// effects.
struct MachineRun {
  let seed: UInt64
  var random: SeededRandom
  var server: ModelServer
  var machine: ReplicaMachine
  /// Events and effects, in order.
  private(set) var effects: [ReplicaMachine.Effect] = []
  /// For each event: the state before, the event, the state after and the effects.
  private(set) var steps: [Step] = []
  private(set) var saved = ListCopy.empty
  private var heard: [(Int, ReplicaAnswer)] = []
  /// Faults stop so that a run can end.
  var isFaulty = true

  struct Step {
    let before: ReplicaMachine
    let event: ReplicaMachine.Event
    let after: ReplicaMachine
    let effects: [ReplicaMachine.Effect]
  }

  init(seed: UInt64, watches: Bool = true) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    server = ModelServer.random(versionCount: random.number(0...5), using: &random)
    machine = ReplicaMachine(
      ReplicaMachine.Options(
        list: ModelServer.list, watches: watches, changeLimit: random.chance(2) ? 1 : nil))
    tell(.start(.empty))
  }

  mutating func run(_ count: Int) {
    for _ in 0..<count { takeTurn() }
  }

  private mutating func takeTurn() {
    switch random.number(1...20) {
    case 1...3: server.commitByChance(using: &random)
    case 4 where server.history.count > 2:
      server.oldest = random.number(server.oldest...server.history.count - 1)
    case 5 where random.chance(4):
      server = server.restored(to: random.number(0...server.history.count - 1))
    case 6 where isFaulty && random.chance(3):
      tell(random.element(of: [.pause, .resume, .start(.empty)]))
    case 7 where isFaulty && !heard.isEmpty:
      // Late or doubled: an earlier answer.
      let (number, answer) = random.element(of: heard)
      tell(.answered(number, answer, timing()))
    case 8 where isFaulty: tell(.timerFired(random.number(0...5)))
    default: goOn()
    }
  }

  /// Provides whatever the machine waits for.
  mutating func goOn() {
    switch machine.state {
    case .asking(let request):
      let answer = isFaulty ? faultyAnswer(to: request) : plainAnswer(to: request)
      heard.append((request.number, answer))
      tell(.answered(request.number, answer, timing()))
    case .waiting(let wait): tell(.timerFired(wait.number))
    case .saving(let saving):
      if isFaulty, random.chance(20) {
        return tell(.saveFailed(saving.number, .notSaved(reason: "full")))
      }
      saved = saving.step.after
      tell(.saved(saving.number))
    case .current, .paused, .failed: tell(.resume)
    case .idle, .stopped: break
    }
  }

  private func plainAnswer(to request: ReplicaRequest) -> ReplicaAnswer {
    ReplicaAnswer(server.response(to: request), to: request)
  }

  private mutating func faultyAnswer(to request: ReplicaRequest) -> ReplicaAnswer {
    switch random.number(1...12) {
    case 1: return .unavailable(.network(reason: "lost"))
    case 2: return random.element(of: heard.map(\.1) + [plainAnswer(to: request)])
    case 3: return ReplicaAnswer(damaged(server.response(to: request)), to: request)
    case 4 where random.chance(4): return .noDelta(.diverged)
    case 5 where random.chance(8): return .refused(.forbidden(detail: nil))
    default: return plainAnswer(to: request)
    }
  }

  /// A response with one byte of its body changed, or with its body cut off.
  private mutating func damaged(_ response: ReplicaResponse) -> ReplicaResponse {
    guard !response.body.isEmpty else { return response }
    var body = response.body
    let place = random.number(0...body.count - 1)
    if random.chance(2) {
      body[place] ^= UInt8(1 << random.number(0...7))
    } else {
      body.removeSubrange(place...)
    }
    return ReplicaResponse(status: response.status, headers: response.headers, body: body)
  }

  private mutating func timing() -> ReplicaMachine.ResponseTiming {
    .init(
      elapsedSeconds: random.chance(2) ? 0 : 30,
      random: Double.random(in: 0..<1, using: &random))
  }

  mutating func tell(_ event: ReplicaMachine.Event) {
    let before = machine
    let new = machine.handle(event)
    effects += new
    steps.append(Step(before: before, event: event, after: machine, effects: new))
  }

  var shown: [ReplicaStep] {
    effects.compactMap { if case .show(let step) = $0 { step } else { nil } }
  }
}
