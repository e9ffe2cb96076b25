import Foundation
import TestSupport

/// Two verbs on one store: the first stops before a call on the store's files while the second
/// runs.
struct PairTrial: Sendable, CustomStringConvertible {
  enum Patience: String, CaseIterable, Sendable {
    /// The second verb does not wait; the first continues after the second has ended.
    case none = "does not wait"
    /// The first continues soon, and the second waits for it.
    case some = "waits"
  }

  let stopped: PairVerb
  let number: Int
  let second: PairVerb
  let patience: Patience

  var description: String {
    "\(stopped.name); \(number); \(second.name); \(patience.rawValue)"
  }

  /// The calls, by the number of their documents.
  var calls: [PairCall] {
    [PairCall(verb: stopped, slot: 1), PairCall(verb: second, slot: 2)]
  }
}

extension PairTrial {
  /// Parses a `description`.
  init?(_ text: String) {
    let parts = text.components(separatedBy: "; ")
    guard parts.count == 4, let number = Int(parts[1]),
      let stopped = PairVerb.all.first(where: { $0.name == parts[0] }),
      let second = PairVerb.all.first(where: { $0.name == parts[2] }),
      let patience = Patience(rawValue: parts[3])
    else { return nil }
    self.init(stopped: stopped, number: number, second: second, patience: patience)
  }
}

/// The laws of every pair.
enum PairLaw: String, Sendable {
  case endsInTime = "both end"
  case anOrder = "both did what they do one after the other"
  case refusalChangesNothing = "a refusal changes nothing"
  case isSound = "the store is sound"
  case leavesNothing = "nothing is left behind"
}

/// The run of a trial.
struct PairRun {
  typealias Broken = [(law: String, detail: String)]

  let trial: PairTrial
  private let oracle: PairOracle
  private let store: PairStore
  private(set) var broken: Broken = []
  private(set) var wasStopped = false
  private(set) var busyCount = 0

  private static let seconds = 60.0

  /// The longest time that the second verb may run while the first is stopped.
  private var meetingSeconds: Double {
    switch trial.patience {
    // SQLite itself waits ten seconds for a process that sets up a write-ahead log.
    case .none: Campaign.isLong ? 15 : 1
    case .some: 0.08
    }
  }

  init(_ trial: PairTrial, _ oracle: PairOracle) async throws {
    (self.trial, self.oracle) = (trial, oracle)
    store = try PairStore(copying: oracle.base.store)
    let outcomes = try await race()
    guard !outcomes.contains(where: \.isTimedOut) else {
      note(.endsInTime, outcomes, "")
      return
    }
    try await judge(outcomes)
  }

  /// Runs both verbs, and stops the first one on its way.
  private mutating func race() async throws -> [SpawnedProgram.Outcome] {
    let plan = try StopPlan(
      at: trial.number, in: store.folder, counter: store.root.appendingPathComponent("count"))
    let first = try store.start(trial.calls[0], environment: plan.environment)
    wasStopped = try await first.wait(seconds: Self.seconds) == .stopped
    let wait = trial.patience == .none ? ["LISTSYNC_WAIT": Array("0".utf8)] : [:]
    let second = try store.start(trial.calls[1], environment: wait)
    _ = try await second.wait(seconds: meetingSeconds)
    if wasStopped { first.resume() }
    return try await [
      first.outcome(within: Self.seconds), second.outcome(within: Self.seconds),
    ]
  }

  private mutating func judge(_ outcomes: [SpawnedProgram.Outcome]) async throws {
    var results: [PairResult] = []
    for (outcome, call) in zip(outcomes, trial.calls) {
      results.append(try await PairResult(outcome, of: call, in: store))
    }
    let stray = try store.strayNames(after: trial.calls)
    if !stray.isEmpty { note(.leavesNothing, outcomes, "\(stray)") }
    let busy = results.indices.filter { results[$0].exitCode == 7 }
    busyCount = busy.count
    if !busy.isEmpty { try await judgeRefusals(busy, outcomes) }
    // A verb that was told to try again runs again alone, and then counts as not refused.
    for index in busy {
      let outcome = try await store.start(trial.calls[index]).outcome()
      results[index] = try await PairResult(outcome, of: trial.calls[index], in: store)
    }
    let state = try await PairState(at: store.path)
    let faults = try await PairState.faults(at: store.path)
    if !faults.isEmpty { note(.isSound, outcomes, "\(faults)") }
    try await judgeOrder(results, state, outcomes)
  }

  /// Checks that the store has the effects of the calls that were not refused, and no others.
  private mutating func judgeRefusals(
    _ busy: [Int], _ outcomes: [SpawnedProgram.Outcome]
  ) async throws {
    // An interrupted import keeps the versions it has stored.
    guard !busy.contains(where: { trial.calls[$0].verb.isSeveralActs }) else { return }
    let others = trial.calls.indices.filter { !busy.contains($0) }.map { trial.calls[$0] }
    let expected = try await oracle.ending(of: others).state
    let state = try await PairState(at: store.path)
    if state != expected {
      note(.refusalChangesNothing, outcomes, "\(state.summary), not \(expected.summary)")
    }
  }

  private mutating func judgeOrder(
    _ results: [PairResult], _ state: PairState, _ outcomes: [SpawnedProgram.Outcome]
  ) async throws {
    let (one, other) = (trial.calls[0], trial.calls[1])
    let forth = try await oracle.ending(of: [one, other])
    let back = try await oracle.ending(of: [other, one])
    if results == forth.results, state == forth.state { return }
    if results == back.results.reversed(), state == back.state { return }
    if try await isBetweenActs(results, state, forth) { return }
    note(
      .anOrder, outcomes,
      """
      it is \(state.summary); \(results)
        one after the other: \(forth.state.summary); \(forth.results)
        the other way: \(back.state.summary); \(back.results)
      """)
  }

  /// Whether the second verb saw an intermediate state of the first, which is several acts.
  private func isBetweenActs(
    _ results: [PairResult], _ state: PairState, _ forth: PairOracle.Ending
  ) async throws -> Bool {
    guard trial.stopped.isSeveralActs, state == forth.state, results[0] == forth.results[0]
    else { return false }
    for count in 1..<PairFixture.commitCount {
      let ref = "HEAD~\(PairFixture.commitCount - count)"
      let part = PairCall(verb: trial.stopped.partly(ref), slot: 1)
      let ending = try await oracle.ending(of: [part, trial.calls[1]])
      if ending.results[1] == results[1] { return true }
    }
    return false
  }

  private mutating func note(
    _ law: PairLaw, _ outcomes: [SpawnedProgram.Outcome], _ detail: String
  ) {
    let ends = outcomes.map { "exit \($0.exitCode) \($0.errorText.prefix(300))" }
    broken.append((law.rawValue, "\(detail)\n  \(ends.joined(separator: "\n  "))"))
  }
}
