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
@Suite(.needsPostgreSQL) struct CutCampaign {
  @Test func pageOfTheTestsCountsTheActs() throws {
    #expect(try Campaign.page().contains(", in \(CutAct.all.count) acts: commits, edits, packing"))
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func actIsDoneOrNotDoneWhicheverMessageIsCutAndTheStoreGoesOn() async throws {
    let campaign = Campaign("cuts")
    var random = campaign.random()
    var tally = Tally()
    for act in CutAct.all {
      let trial = try await CutTrial(act)
      for disturbance in CuttingProxy.Act.allCases where disturbance != .pass {
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
