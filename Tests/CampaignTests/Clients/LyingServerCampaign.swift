import Foundation
import ListModel
import SyncClient
import SyncClientHTTP
import TestSupport
import Testing

/// Campaign 18: the real transport and replica against a server that alters every answer: its
/// status line, header fields, framing, packing and members, and any byte.
@Suite struct LyingServerCampaign {
  private let campaign = Campaign("lying server")
  /// Trials at the same time; most of them wait.
  private static let width = 12

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func replicaEndsWithARealListOrANamedErrorForAnyServerAnswer() async throws {
    var random = campaign.random()
    let server = try LyingServer(try await HonestAnswers(seed: random.next()))
    var tally = LyingTally()
    let goal = campaign.rounds(400, long: 20_000)
    try await withThrowingTaskGroup(of: LyingTally.self) { group in
      var running = 0
      while tally.lieCount < goal || running > 0 {
        while tally.lieCount < goal, running < Self.width {
          let seed = random.next()
          group.addTask { await outcome(of: seed, server) }
          running += 1
        }
        if let part = try await group.next() { tally.add(part) }
        running -= 1
      }
    }
    campaign.report(tally.figures)
    #expect(tally.outcomes["the right list", default: 0] > 0)
    #expect(tally.kinds.count == Lie.Kind.allCases.count)
  }

  /// One run; a violation is recorded with the seed that repeats it.
  private func outcome(of seed: UInt64, _ server: LyingServer) async -> LyingTally {
    let trial = server.begin(seed: seed)
    defer { server.end(trial) }
    do {
      return try await trial.run()
    } catch {
      Issue.record("seed \(campaign.seed), trial \(seed): \(error); lies: \(trial.told)")
      return LyingTally()
    }
  }
}

/// Counts of the trials' results.
struct LyingTally: Sendable {
  private(set) var lieCount = 0
  private(set) var highestRequestCount = 0
  private(set) var kinds: [Lie.Kind: Int] = [:]
  private(set) var outcomes: [String: Int] = [:]

  init() {}

  init(lies: [Lie.Kind], requestCount: Int, outcome: String) {
    (lieCount, highestRequestCount) = (lies.count, requestCount)
    for kind in lies { kinds[kind, default: 0] += 1 }
    outcomes[outcome] = 1
  }

  mutating func add(_ other: LyingTally) {
    lieCount += other.lieCount
    highestRequestCount = max(highestRequestCount, other.highestRequestCount)
    kinds.merge(other.kinds, uniquingKeysWith: +)
    outcomes.merge(other.outcomes, uniquingKeysWith: +)
  }

  var figures: String {
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    let lies = Dictionary(uniqueKeysWithValues: kinds.map { ($0.key.rawValue, $0.value) })
    return """
      \(lieCount) lies (\(list(lies))); ends: \(list(outcomes)); \
      at most \(highestRequestCount) requests a trial
      """
  }
}
