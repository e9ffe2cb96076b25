import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Clients catch up while pruning moves the oldest version: each answer is exact, or a refusal.
@Suite struct CatchUpPruningCampaign {
  private static let actCount = 160
  private static let clientCount = 4

  @Test(arguments: StoreEngine.here)
  func catchUpAnswersTheExactDeltaOrTooOldWhilePruningIsInterleaved(
    _ engine: StoreEngine
  ) async throws {
    let campaign = Campaign("catch-up against pruning, \(engine.rawValue)")
    var tally = CatchUpTally()
    let isFile = engine == .sqlite
    for round in 0..<campaign.rounds(isFile ? 5 : 2, long: isFile ? 600 : 60) {
      var random = campaign.random(round)
      do {
        try await Self.run(seed: random.next(), isLong: round % 4 == 0, on: engine, &tally)
      } catch {
        Issue.record("seed \(campaign.seed), round \(round): \(error)")
      }
    }
    campaign.report(tally.figures)
    #expect(tally.tooOldCount > 0 && tally.deltaCount > 0 && tally.fallbackCount > 0)
    #expect(tally.pageCount > 0 && tally.smallerCount > 0 && tally.backwardCount > 0)
    #expect(tally.keptCount > 0 || !isFile && !Campaign.isLong)
  }

  @Test(arguments: StoreEngine.here)
  func catchUpAnswersTheExactDeltaOrTooOldBesideAWriterAndAPruner(
    _ engine: StoreEngine
  ) async throws {
    let campaign = Campaign("catch-up against pruning, at the same time, \(engine.rawValue)")
    var tally = CatchUpTally()
    for round in 0..<campaign.rounds(2, long: engine == .sqlite ? 40 : 10) {
      var random = campaign.random(round)
      let actCount = campaign.rounds(40, long: 200)
      let race = CatchUpRace(seed: random.next(), actCount: actCount, on: engine)
      let record = try await race.run()
      #expect(record.faults() == [], "seed \(campaign.seed), round \(round)")
      let report = try await record.world.service.verify(depth: .everything)
      #expect(report.faults == [], "seed \(campaign.seed), round \(round)")
      tally.add(record)
    }
    campaign.report(tally.figures)
    #expect(tally.deltaCount > 0 && tally.tooOldCount > 0)
  }

  /// Runs one world from its first version on; the seed chooses each next act.
  private static func run(
    seed: UInt64, isLong: Bool, on engine: StoreEngine, _ tally: inout CatchUpTally
  ) async throws {
    var world = try PrunedWorld(seed: seed, isLong: isLong, on: engine)
    var clients = Array(repeating: CatchUpClient(), count: clientCount)
    try await world.commit()
    for act in 0..<(isLong ? actCount * 2 : actCount) {
      do {
        switch Int.random(in: 0..<20, using: &world.random) {
        case 0..<8: try await world.commit()
        case 8: try await world.prune()
        case 9, 10: world.letTimePass()
        case 11: try world.reopen()
        default:
          let client = Int.random(in: clients.indices, using: &world.random)
          try await ask(&clients[client], in: &world, &tally)
        }
      } catch {
        throw Victim.Loss(description: "act \(act): \(error)")
      }
    }
    tally.add(world, keptCount: try await world.keptCount())
  }

  private static func ask(
    _ client: inout CatchUpClient, in world: inout PrunedWorld, _ tally: inout CatchUpTally
  ) async throws {
    let twin = world.twin
    let request = client.request(
      head: Version(twin.head), oldest: Version(twin.oldest), &world.random)
    let expected = try CatchUpOracle(twin: twin).answer(to: request)
    let given = try await CatchUpCall.outcome(of: request, from: world.service)
    guard given == expected else {
      throw Victim.Loss(description: "\(request): \(given), not \(expected)")
    }
    // Changes that were kept meanwhile are the same.
    let again = try await CatchUpCall.outcome(of: request, from: world.service)
    guard again == expected else {
      throw Victim.Loss(description: "\(request), again: \(again), not \(expected)")
    }
    tally.add(given, since: client.cursor)
    if case .answer(let answer) = given {
      try client.take(answer)
      guard let reached = answer.to.cursor?.version,
        client.snapshot == twin.snapshot(reached.number),
        Root(of: client.snapshot) == answer.to.root
      else { throw Victim.Loss(description: "\(request) leads elsewhere") }
    } else if !twin.keeps(client.cursor.version.number) {
      // A client that is refused starts over.
      var first = CatchUpRequest(list: .parks, since: .cursor(client.cursor))
      first.fallsBack = true
      try client.take(try await world.service.catchUp(first))
      guard client.cursor == twin.headCursor else {
        throw Victim.Loss(description: "the fallback leads to \(client.cursor)")
      }
    }
  }
}

/// A call, with its possible refusals as values.
enum CatchUpCall {
  static func outcome(
    of request: CatchUpRequest, from service: SyncService
  ) async throws -> CatchUpOracle.Expected {
    do {
      return .answer(try await service.catchUp(request))
    } catch ServiceError.tooOld(_, _, let oldest, let head) {
      return .tooOld(oldest: oldest, head: head)
    }
  }
}

/// Counts of the acts and answers.
struct CatchUpTally {
  private var versionCount = 0
  private var pruningCount = 0
  private(set) var deltaCount = 0
  private(set) var backwardCount = 0
  private(set) var pageCount = 0
  private(set) var smallerCount = 0
  private(set) var fallbackCount = 0
  private(set) var tooOldCount = 0
  private(set) var keptCount = 0
  private var keepingCount = 0

  mutating func add(_ world: PrunedWorld, keptCount: Int) {
    self.keptCount += keptCount
    keepingCount += keptCount > 0 ? 1 : 0
    versionCount += world.twin.head
    pruningCount += world.pruningCount
  }

  mutating func add(_ record: CatchUpRace.Record) {
    versionCount += record.world.twin.head
    pruningCount += record.floors.count - 1
    for observation in record.observations.joined() {
      guard case .cursor(let since) = observation.request.since else { continue }
      add(observation.outcome, since: since)
    }
  }

  mutating func add(_ outcome: CatchUpOracle.Expected, since: Cursor) {
    switch outcome {
    case .answer(.changes(let delta)):
      deltaCount += 1
      pageCount += delta.more ? 1 : 0
      backwardCount += (delta.to.cursor?.version ?? since.version) < since.version ? 1 : 0
    case .answer(.snapshot(let delta)):
      if delta.reason == .smaller { smallerCount += 1 } else { fallbackCount += 1 }
    case .tooOld: tooOldCount += 1
    case .noSuchVersion: break
    }
  }

  var figures: String {
    """
    \(versionCount) versions, \(pruningCount) prunings, \(deltaCount) exact deltas \
    (\(backwardCount) backwards, \(pageCount) pages with more to come), \(smallerCount) smaller \
    snapshots, \(fallbackCount) fallbacks, \(tooOldCount) too old, \
    \(keptCount) deltas kept at the end of \(keepingCount) histories
    """
  }
}
