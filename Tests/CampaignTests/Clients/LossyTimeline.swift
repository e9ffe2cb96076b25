import TestSupport

/// The acts of one server, and many client runs against it.
struct LossyTimeline {
  static let endSeconds = 100.0

  let itemCount: Int
  let seed: UInt64
  let acts: [ServerAct]

  init(itemCount: Int, seed: UInt64) {
    self.itemCount = itemCount
    self.seed = seed
    var random = SeededRandom(seed: seed)
    acts = ServerAct.sequence(endSeconds: Self.endSeconds, &random)
  }

  private init(_ timeline: LossyTimeline, _ lines: [ScriptLine]) {
    (itemCount, seed) = (timeline.itemCount, timeline.seed)
    acts = lines.compactMap { if case .act(let act) = $0 { act } else { nil } }
  }

  /// The parts of one run.
  struct Script {
    let seed: UInt64
    let lines: [ScriptLine]

    init(seed: UInt64) {
      self.seed = seed
      var random = SeededRandom(seed: seed &* 3)
      lines = ScriptLine.lines(
        clientCount: LossyRun.clientCount(seed), endSeconds: LossyTimeline.endSeconds, &random)
    }
  }

  struct Failure {
    let script: Script
    let violation: any Error
  }

  private enum Step {
    case act(ServerAct)
    case notice
  }

  private var steps: [(seconds: Double, step: Step)] {
    acts.flatMap { act in
      [(act.seconds, Step.act(act)), (act.seconds + act.lagSeconds, Step.notice)]
    }.sorted { $0.0 < $1.0 }
  }

  /// Runs all scripts against one server.
  func run(
    _ scripts: [Script], _ refusals: Refusals, _ tally: inout LossyTally
  ) async throws -> [Failure] {
    let server = try await LiveServer(itemCount: itemCount, seed: seed)
    var failures: [Failure] = []
    let runs = try scripts.map { try LossyRun(seed: $0.seed, $0.lines, server, refusals) }
    for (index, error) in try await go(runs, server) {
      failures.append(Failure(script: scripts[index], violation: error))
    }
    for run in runs { tally.add(run.tally) }
    tally.restores += server.restoreCount
    return failures
  }

  /// Runs the rest of one shortened script again, alone.
  func replay(
    _ seed: UInt64, _ lines: [ScriptLine], _ refusals: Refusals
  ) async throws -> (trace: [String], violation: (any Error)?) {
    let timeline = LossyTimeline(self, lines)
    let server = try await LiveServer(itemCount: itemCount, seed: self.seed)
    let run = try LossyRun(seed: seed, lines, server, refusals, traces: true)
    let violation = try await timeline.go([run], server).first?.error
    return (run.trace ?? [], violation)
  }

  private func go(
    _ runs: [LossyRun], _ server: LiveServer
  ) async throws -> [(index: Int, error: any Error)] {
    var failures: [(index: Int, error: any Error)] = []
    var alive = Array(runs.indices)
    func each(_ body: (LossyRun) async throws -> Void) async {
      for index in alive {
        do {
          try await body(runs[index])
        } catch {
          failures.append((index, error))
          alive.removeAll { $0 == index }
        }
      }
    }
    for (seconds, step) in steps {
      await each { try await $0.advance(until: seconds) }
      let processCount = server.processCount
      switch step {
      case .act(let act):
        try await server.perform(act)
        await each { $0.note("server \(act.kind)") }
      case .notice: try await server.notice()
      }
      await each { try await $0.noticeServer(isRestarted: server.processCount != processCount) }
    }
    await each { try await $0.advance(until: Self.endSeconds) }
    await each { try await $0.finish() }
    return failures
  }
}
