import ListDocuments
import ListModel
import TestSupport
import Testing

@testable import SyncClient

/// The numbered invariants in the documentation of the machine, each checked on random runs with
/// every kind of fault.
@Suite struct InvariantTests {
  private static let runs: [MachineRun] = {
    var random = SeededRandom.forThisRun()
    return (0..<60).map { number in
      var run = MachineRun(seed: random.next(), watches: number % 3 > 0)
      run.run(120)
      if number % 5 == 0 {
        run.tell(.stop)
        run.run(20)
      }
      return run
    }
  }()

  /// Invariant 1 of the replica machine.
  @Test func everySavedOrShownListMatchesItsRoot() {
    var count = 0
    for run in Self.runs {
      for effect in run.effects {
        let step: ReplicaStep
        switch effect {
        case .show(let shown): step = shown
        case .save(_, let saved): step = saved
        case .send, .cancel, .setTimer, .cancelTimer: continue
        }
        count += 1
        #expect(Root(of: step.after.snapshot) == step.after.state.root, "seed \(run.seed)")
        #expect(step.after.snapshot.items.count == step.after.state.count, "seed \(run.seed)")
        let applied = try? step.before.snapshot.applying(step.changes)
        #expect(applied == step.after.snapshot, "seed \(run.seed)")
      }
    }
    #expect(count > 500, "the runs show something")
  }

  /// Invariant 2 of the replica machine.
  @Test func stepIsShownOnceAfterItsSaveAndTheCopyIsTheLastSavedOne() {
    for run in Self.runs {
      #expect(run.machine.copy == run.saved, "seed \(run.seed)")
      for step in run.steps {
        let shown = step.effects.filter { if case .show = $0 { true } else { false } }
        guard case .saved(let number) = step.event, case .saving(let saving) = step.before.state,
          saving.number == number
        else {
          #expect(shown.isEmpty, "seed \(run.seed)")
          #expect(step.after.copy == step.before.copy || step.isStart, "seed \(run.seed)")
          continue
        }
        #expect(shown == [.show(saving.step)], "seed \(run.seed)")
        #expect(step.after.copy == saving.step.after, "seed \(run.seed)")
      }
    }
  }

  /// Invariant 3 of the replica machine.
  @Test func everyShownStepBeginsWhereThePreviousOneEnded() {
    for run in Self.runs {
      var last = ListCopy.empty
      for step in run.shown {
        #expect(step.before == last, "seed \(run.seed)")
        last = step.after
      }
    }
  }

  /// Invariant 4 of the replica machine.
  @Test func lateRepeatedOrUnexpectedAnswersChangeNothing() {
    var ignored = 0
    for run in Self.runs {
      for step in run.steps {
        guard let number = step.event.number, number != step.before.state.pendingNumber else {
          continue
        }
        ignored += 1
        #expect(step.effects.isEmpty, "seed \(run.seed)")
        #expect(step.after.state == step.before.state, "seed \(run.seed)")
        #expect(step.after.copy == step.before.copy, "seed \(run.seed)")
      }
    }
    #expect(ignored > 100, "there was something to ignore")
  }

  /// Invariant 5 of the replica machine.
  @Test func changesAreAppliedOnlyToTheStateThatTheyStartFrom() {
    for run in Self.runs {
      for step in run.steps {
        guard case .answered(_, .changes(let document), _) = step.event,
          case .saving(let saving) = step.after.state, step.effects.count == 1
        else { continue }
        let isWhole = StateName(step.before.state) == .startingOver
        let base = isWhole ? ListCopy.empty : step.before.copy
        // The only list to start over with may be empty.
        #expect(document.from == base.state, "seed \(run.seed)")
        #expect(saving.step.after.state == document.to, "seed \(run.seed)")
      }
    }
  }

  /// Invariant 6 of the replica machine.
  @Test func oneEffectIsOutstandingAndNoneAtRest() {
    for run in Self.runs {
      var pending: Set<String> = []
      for step in run.steps {
        if let done = step.event.done { pending.remove(done) }
        for effect in step.effects { effect.track(&pending) }
        let expected = step.after.state.pending.map { [$0] } ?? []
        #expect(Array(pending) == expected, "seed \(run.seed), \(step.event)")
      }
    }
  }

  /// Invariant 7 of the replica machine.
  @Test func replicaStartsOverByItselfAtMostOnceBetweenChangesThatHold() {
    var failures = 0
    for run in Self.runs {
      var count = 0
      for step in run.steps {
        let wasWhole = StateName(step.before.state) == .startingOver
        if case .answered = step.event, !wasWhole,
          StateName(step.after.state) == .startingOver
        {
          count += 1
        }
        if case .failed(.mismatchAgain) = step.after.state { failures += 1 }
        for case .show(let shown) in step.effects where shown.reason == .changes { count = 0 }
        if step.event == .resume, step.effects.count == 1 { count = 0 }
        #expect(count <= 1, "seed \(run.seed)")
      }
    }
    #expect(failures > 0, "a second mismatch came about")
  }

  /// Invariant 8 of the replica machine.
  @Test func versionFallsOnlyWithAReasonToStartOver() {
    for run in Self.runs {
      for step in run.shown where step.after.cursor.version <= step.before.cursor.version {
        #expect(step.reason.isStartedOver, "seed \(run.seed)")
      }
    }
  }

  /// Invariant 9 of the replica machine.
  @Test func failedPausedOrStoppedReplicaKeepsItsCopy() {
    for run in Self.runs {
      for step in run.steps where step.after.state.pendingNumber == nil {
        if case .saved = step.event { continue }
        #expect(step.after.copy == step.before.copy || step.isStart, "seed \(run.seed)")
      }
    }
  }

  /// Invariant 10 of the replica machine.
  @Test func waitLastsAsTheRuleSaysPlusTheTimeThatTheServerAsksFor() {
    for run in Self.runs {
      let rule = run.machine.options.retry
      for step in run.steps {
        guard case .waiting(let wait) = step.after.state, step.before.state != step.after.state
        else { continue }
        #expect(step.effects.last == .setTimer(wait.number, seconds: wait.seconds))
        #expect(wait.seconds >= rule.firstSeconds / 2, "seed \(run.seed)")
        #expect(wait.seconds <= rule.highestSeconds, "seed \(run.seed)")
      }
    }
  }

  /// Invariant 11 of the replica machine.
  @Test func stoppedReplicaRequestsNothingAndEndsAfterTheSaveUnderWay() {
    var count = 0
    for run in Self.runs {
      guard let stop = run.steps.firstIndex(where: { $0.event == .stop }) else { continue }
      count += 1
      for step in run.steps[(stop + 1)...] {
        for effect in step.effects {
          guard case .show = effect else {
            Issue.record("\(effect) after the stop, seed \(run.seed)")
            continue
          }
        }
      }
      #expect(run.machine.state == .stopped, "seed \(run.seed)")
    }
    #expect(count > 5)
  }

  /// Invariant 12 of the replica machine.
  @Test(arguments: 0..<40)
  func replicaHasTheListOfTheServerOnceTheFaultsEnd(number: Int) {
    var random = SeededRandom.forThisRun()
    for _ in 0...number { _ = random.next() }
    var run = MachineRun(seed: random.next(), watches: number % 2 == 0)
    run.run(60)
    run.isFaulty = false
    for _ in 0..<60 { run.goOn() }
    #expect(run.machine.copy == run.server.head, "seed \(run.seed)")
  }

  /// Invariant 13 of the replica machine.
  @Test func sameEventsHaveTheSameEffects() {
    for run in Self.runs {
      var machine = ReplicaMachine(run.machine.options)
      for step in run.steps {
        #expect(machine.handle(step.event) == step.effects, "seed \(run.seed)")
      }
      #expect(machine.state == run.machine.state, "seed \(run.seed)")
    }
  }
}

extension MachineRun.Step {
  fileprivate var isStart: Bool { if case .start = event { true } else { false } }
}

extension ReplicaMachine.Event {
  /// The number that an event refers to; nil if it needs none.
  fileprivate var number: Int? {
    switch self {
    case .answered(let number, _, _), .timerFired(let number), .saved(let number),
      .saveFailed(let number, _):
      number
    case .start, .pause, .resume, .stop: nil
    }
  }
}

extension ReplicaMachine.State {
  fileprivate var pendingNumber: Int? {
    switch self {
    case .asking(let request): request.number
    case .waiting(let wait): wait.number
    case .saving(let saving): saving.number
    case .idle, .current, .paused, .stopped, .failed: nil
    }
  }
}

/// The states in which the machine waits, and the events that end the wait.
extension ReplicaMachine.State {
  fileprivate var pending: String? {
    switch self {
    case .asking(let request): "request \(request.number)"
    case .waiting(let wait): "timer \(wait.number)"
    case .saving(let saving): "save \(saving.number)"
    case .idle, .current, .paused, .stopped, .failed: nil
    }
  }
}

extension ReplicaMachine.Event {
  fileprivate var done: String? {
    switch self {
    case .answered(let number, _, _): "request \(number)"
    case .timerFired(let number): "timer \(number)"
    case .saved(let number), .saveFailed(let number, _): "save \(number)"
    case .start, .pause, .resume, .stop: nil
    }
  }
}

extension ReplicaMachine.Effect {
  fileprivate func track(_ pending: inout Set<String>) {
    switch self {
    case .send(let request): pending.insert("request \(request.number)")
    case .setTimer(let number, _): pending.insert("timer \(number)")
    case .save(let number, _): pending.insert("save \(number)")
    case .cancel(let number): pending.remove("request \(number)")
    case .cancelTimer(let number): pending.remove("timer \(number)")
    case .show: break
    }
  }
}
