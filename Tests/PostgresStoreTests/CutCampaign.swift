import Foundation
import ListModel
import ListStore
import PostgresTestSupport
import StoreTestSupport
import SyncService
import TestSupport
import Testing

/// Campaign 4 over a network: an act whose connection is cut or delayed at any message happens
/// completely or not at all. A version that was kept is never reported as failed, and the store
/// remains usable.
@Suite(.needsPostgreSQL, .onOneServer) struct CutCampaign {
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func actIsDoneOrNotDoneWhicheverMessageIsCutAndTheStoreGoesOn() async throws {
    let campaign = Campaign("cuts")
    var random = campaign.random()
    var tally = Tally()
    let disturbances = CuttingProxy.disturbances
    for (position, act) in CutAct.all.enumerated() {
      let trial = try await CutTrial(act)
      let offset = position % disturbances.count
      // The share tries one disturbance with each act.
      for disturbance in Campaign.isLong ? disturbances : [disturbances[offset]] {
        let count = trial.messageCount
        let stride = max(1, count / campaign.rounds(1, long: .max))
        for number in Swift.stride(
          from: .random(in: 1...stride, using: &random), through: count, by: stride)
        {
          do {
            tally.count(try await trial.run(disturbance, at: number))
          } catch {
            Issue.record("\(act.name), \(disturbance) at \(number): \(error)")
          }
        }
      }
      try trial.end()
    }
    // Messages come in another order now and then, so an act may have one less.
    #expect(tally.hitCount > tally.trialCount * 9 / 10 && tally.errorCount > 0)
    campaign.report(
      """
      \(CutAct.all.count) acts, \(tally.trialCount) cuts and delays (\(tally.hitCount) of them \
      reached), \(tally.errorCount) refusals, \(tally.unknownCount) of them of unknown outcome
      """)
  }

  private struct Tally {
    var (trialCount, hitCount, errorCount, unknownCount) = (0, 0, 0, 0)

    mutating func count(_ outcome: CutTrial.Outcome) {
      trialCount += 1
      hitCount += outcome.isReached ? 1 : 0
      errorCount += outcome.error == nil ? 0 : 1
      unknownCount += outcome.isUnknown ? 1 : 0
    }
  }
}
