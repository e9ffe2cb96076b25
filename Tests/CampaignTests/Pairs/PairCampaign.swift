import Foundation
import TestSupport
import Testing

/// Every pair of verbs on one store. The first verb stops before its n-th call on the store's
/// files. Both have the effect of one order of the two, or one is told that the store is busy.
@Suite(
  .enabled(if: StopShim.path != nil, "skipped: programs are stopped on Linux, with a C compiler"),
  .disabled(
    if: ProcessInfo.processInfo.environment["LISTSYNC_SANITIZED"] != nil,
    "skipped: sanitizers come first in a program"))
struct PairCampaign {
  private static let shareCount = 5
  /// In the long form, the number of places at which each pair stops.
  private static let placeCount = 6
  private static let widthCount = 3

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func concurrentVerbsActLikeSequentialOnesOrOneIsBusyAndChangesNothing() async throws {
    let campaign = Campaign("pairs")
    var random = campaign.random()
    let oracle = try await PairOracle()
    var ledger = FaultLedger(KnownFaults.pairs) { name in
      "LISTSYNC_CASE='\(name)' make test ONLY=PairCampaign"
    }
    var tally = Tally()
    let trials = try await Self.trials(campaign, oracle, &random)
    try await trials.inParallel(width: Self.widthCount) { trial in
      try await PairRun(trial, oracle)
    } each: { run in
      tally.count(run)
      ledger.note(run.trial.description, broken: run.broken)
    }
    #expect(tally.stoppedCount > 0)
    campaign.report("\(tally), \(ledger.knownCount) as is known")
  }

  private static func trials(
    _ campaign: Campaign, _ oracle: PairOracle, _ random: inout SeededRandom
  ) async throws -> [PairTrial] {
    if let name = ProcessInfo.processInfo.environment["LISTSYNC_CASE"] {
      return [try #require(PairTrial(name))]
    }
    // Each verb is stopped equally often, in a new order in each round.
    let pairs = PairVerb.all.flatMap { one in PairVerb.all.map { (one, $0) } }
    var trials: [PairTrial] = []
    for _ in 0..<campaign.rounds(1, long: placeCount) {
      for (stopped, second) in pairs.shuffled(using: &random) {
        let count = try await oracle.callCount(of: stopped)
        try #require(count > 0, "\(stopped.name) does nothing with the store")
        trials.append(
          PairTrial(
            stopped: stopped, number: random.number(1...count), second: second,
            patience: random.element(of: PairTrial.Patience.allCases)))
      }
    }
    return Array(trials.prefix(campaign.rounds(shareCount, long: .max)))
  }

  private struct Tally: CustomStringConvertible {
    var (trialCount, stoppedCount, busyCount, brokenCount) = (0, 0, 0, 0)

    mutating func count(_ run: PairRun) {
      trialCount += 1
      stoppedCount += run.wasStopped ? 1 : 0
      busyCount += run.busyCount
      brokenCount += run.broken.isEmpty ? 0 : 1
    }

    var description: String {
      """
      \(trialCount) pairs, \(stoppedCount) with one stopped on its way, \(busyCount) refused as \
      busy; \(brokenCount) broke a law
      """
    }
  }
}
