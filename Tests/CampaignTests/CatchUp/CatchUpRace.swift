import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import Synchronization
import TestSupport

/// A writer, a pruner and clients that use one store object at the same time.
struct CatchUpRace {
  /// A client's request and its answer.
  struct Observation: Sendable {
    let request: CatchUpRequest
    let outcome: CatchUpOracle.Expected
  }

  /// All observations, and the states of the list during them.
  struct Record: Sendable {
    var world: PrunedWorld
    /// The oldest versions over time, the newest last.
    var floors: [Version]
    /// Observations by client, in the order of the calls.
    var observations: [[Observation]]
  }

  private static let clientCount = 4
  private let seed: UInt64
  private let actCount: Int
  private let engine: StoreEngine

  init(seed: UInt64, actCount: Int, on engine: StoreEngine) {
    (self.seed, self.actCount, self.engine) = (seed, actCount, engine)
  }

  func run() async throws -> Record {
    var world = try PrunedWorld(seed: seed, isLong: false, on: engine)
    while world.twin.head == 0 { try await world.commit() }
    let (clock, store) = (Clock(world.time), world.test.store)
    let service = SyncService(store: store) { clock.now }
    let start = world
    async let written = write(start, clock)
    async let floors = prune(service)
    let observations = try await withThrowingTaskGroup(of: [Observation].self) { group in
      for client in 1...Self.clientCount {
        let seed = seed &+ UInt64(client)
        group.addTask { try await ask(service, seed: seed) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    return Record(
      world: try await written, floors: try await floors, observations: observations)
  }

  private func write(_ start: PrunedWorld, _ clock: Clock) async throws -> PrunedWorld {
    var world = start
    for _ in 0..<actCount {
      world.letTimePass()
      clock.now = world.time
      try await world.commit()
      try await pause(&world.random)
    }
    return world
  }

  private func prune(_ service: SyncService) async throws -> [Version] {
    var random = SeededRandom(seed: ~seed)
    var floors = [Version(1)]
    for _ in 0..<actCount / 2 {
      let rule =
        Bool.random(using: &random)
        ? RetentionRule(keepLast: .random(in: 1...8, using: &random))
        : RetentionRule(keepWithin: RetentionPeriod("6h"), trustsDates: true)
      guard let rule else { continue }
      do {
        let outcome = try await service.prune(PruneRequest(list: .parks, rule: rule))
        if let floor = outcome.record?.newOldest { floors.append(floor) }
      } catch ServiceError.datedInFuture {
        // A version with a later time was committed after the pruner read the clock.
      }
      try await pause(&random)
    }
    return floors
  }

  private func ask(_ service: SyncService, seed: UInt64) async throws -> [Observation] {
    var random = SeededRandom(seed: seed)
    var client = CatchUpClient()
    var observations: [Observation] = []
    for _ in 0..<actCount {
      guard let list = try await service.lists().first, let head = list.head.cursor?.version
      else { continue }
      var request = client.request(head: head, oldest: list.oldest, &random)
      // The answer to a version given relative to the head does not show the head's version.
      if case .head = request.to { request.to = .head }
      let outcome = try await CatchUpCall.outcome(of: request, from: service)
      observations.append(Observation(request: request, outcome: outcome))
      if case .answer(let answer) = outcome {
        try client.take(answer)
      } else {
        var first = CatchUpRequest(list: .parks, since: .cursor(client.cursor))
        first.fallsBack = true
        let answer = try await service.catchUp(first)
        observations.append(Observation(request: first, outcome: .answer(answer)))
        try client.take(answer)
      }
      try await pause(&random)
    }
    return observations
  }

  private func pause(_ random: inout SeededRandom) async throws {
    try await Task.sleep(for: .microseconds(Int.random(in: 0...3000, using: &random)))
  }
}

/// The clock of the writer and the pruner.
private final class Clock: Sendable {
  private let time: Mutex<Timestamp>

  init(_ time: Timestamp) { self.time = Mutex(time) }

  var now: Timestamp {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

extension CatchUpRace.Record {
  /// Answers that were right in no state of the list.
  func faults() -> [String] {
    observations.flatMap { observations in
      var oldest = Version.zero
      return observations.flatMap { observation in
        defer { oldest = max(oldest, observation.outcome.oldest) }
        return faults(of: observation, after: oldest)
      }
    }
  }

  private func faults(
    of observation: CatchUpRace.Observation, after oldest: Version
  ) -> [String] {
    let outcome = observation.outcome
    var faults: [String] = []
    if !floors.contains(outcome.oldest) || outcome.oldest < oldest {
      faults.append("\(outcome.oldest) was never the oldest, or not after \(oldest)")
    }
    let latest = Version(world.twin.head)
    let expected = outcome.heads(asked: observation.request, latest: latest).map {
      try? CatchUpOracle(twin: world.twin, oldest: outcome.oldest, head: $0)
        .answer(to: observation.request)
    }
    if !expected.contains(outcome) {
      faults.append("\(observation.request): \(outcome), not \(expected)")
    }
    return faults
  }
}

extension CatchUpOracle.Expected {
  /// The oldest version that the answer or refusal names.
  fileprivate var oldest: Version {
    switch self {
    case .answer(.changes(let delta)): delta.oldest ?? .zero
    case .answer(.snapshot(let delta)): delta.oldest
    case .tooOld(let oldest, _): oldest
    case .noSuchVersion: .zero
    }
  }

  /// The possible heads of the answering state, as far as the answer depends on the head.
  fileprivate func heads(asked request: CatchUpRequest, latest: Version) -> [Version] {
    if case .tooOld(_, let head) = self { return [head] }
    guard request.to == .head, case .answer(let answer) = self,
      let reached = answer.to.cursor?.version
    else { return [latest] }
    switch answer {
    case .changes(let delta):
      guard delta.more else { return [reached] }
      // Whether the whole list is the smaller answer depends on its length at that time.
      let later = (reached.number + 1...latest.number).map { Version($0) }
      return request.takesSmaller ? later : [latest]
    // The answer does not say whether it replaces a page.
    case .snapshot(let delta): return delta.reason == .smaller ? [reached, latest] : [reached]
    }
  }
}
