import PostgresTestSupport
import StoreTestSupport
import TestSupport
import Testing

/// Eight writers, four readers and a pruner. Their calls must fit together as if made one after the
/// other.
@Suite struct ConcurrencyCampaign {
  @Test(arguments: Contest.Arrangement.allCases, StoreEngine.here)
  func concurrentCallsHaveOneWinnerEachLoseNoUpdateAndReadNoOldHead(
    _ arrangement: Contest.Arrangement, _ engine: StoreEngine
  ) async throws {
    let campaign = Campaign("concurrency, \(arrangement.rawValue), \(engine.rawValue)")
    var tally = CallTally()
    for round in 0..<campaign.rounds(1, long: 20) {
      var random = campaign.random(round)
      let contest = try Contest(
        arrangement, on: engine, callCount: campaign.rounds(12, long: 150), seed: random.next())
      let result = try await contest.run()
      let faults = result.storeFaults + result.histories.flatMap { $0.faults() }
      #expect(faults == [], "seed \(campaign.seed), round \(round)")
      for history in result.histories { tally.add(history) }
    }
    campaign.report(tally.figures)
    #expect(tally.winCount > 0 && tally.refusalCount > 0 && tally.headCount > 0)
    #expect(tally.catchUpCount > 0 && tally.pruningCount > 0)
  }
}

/// Counts of the calls.
private struct CallTally {
  private(set) var winCount = 0
  private var expectedCount = 0
  private(set) var refusalCount = 0
  private(set) var headCount = 0
  private(set) var catchUpCount = 0
  private var tooOldCount = 0
  private(set) var pruningCount = 0
  private var busyCount = 0

  mutating func add(_ history: CallHistory) {
    for call in history.calls {
      switch call.outcome {
      case .committed(let commit):
        winCount += 1
        expectedCount += commit.expected == nil ? 0 : 1
      case .refused: refusalCount += 1
      case .read: headCount += 1
      case .caughtUp: catchUpCount += 1
      case .tooOld: tooOldCount += 1
      case .pruned, .tidied: pruningCount += 1
      case .busy: busyCount += 1
      case .failed: break
      }
    }
  }

  var figures: String {
    """
    \(winCount) commits (\(expectedCount) with an expectation), \(refusalCount) expectations \
    failed, \(headCount) heads read, \(catchUpCount) deltas, \(tooOldCount) too old, \
    \(pruningCount) prunings and vacuums, \(busyCount) busy
    """
  }
}
