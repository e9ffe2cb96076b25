import StoreTestSupport
import TestSupport
import Testing

/// Campaign 4: an act on a store whose files fail happens completely or not at all. The error is
/// clear, and the store remains usable.
@Suite struct FaultCampaign {
  @Test func pageOfTheTestsCountsTheActs() throws {
    #expect(try Campaign.page().contains(", in \(FaultAct.all.count) acts: commits, edits, chec"))
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func actIsDoneOrNotDoneWhicheverFileOperationFailsAndTheStoreGoesOn() async throws {
    let campaign = Campaign("faults")
    var random = campaign.random()
    var tally = Tally()
    for (number, act) in FaultAct.all.enumerated() {
      let trial = try await FaultTrial(act)
      // The share tries half of the kinds with each act, each with one fault.
      for (place, kind) in FaultKind.allCases.enumerated() {
        let count = trial.count(of: kind.operations)
        guard count > 0, Campaign.isLong || (number + place) % 2 == 0 else { continue }
        let stride = max(1, count / campaign.rounds(1, long: .max))
        for number in Swift.stride(
          from: .random(in: 1...stride, using: &random), through: count, by: stride)
        {
          do {
            tally.count(try await trial.run(kind, at: number))
          } catch {
            Issue.record("\(act.name), \(kind.rawValue) at \(number): \(error)")
          }
        }
      }
    }
    #expect(tally.failureCount > 0 && tally.errorCount > 0)
    campaign.report(
      """
      \(FaultAct.all.count) acts, \(tally.trialCount) faults (\(tally.failureCount) operations \
      failed), \(tally.errorCount) refusals, \(tally.doneCount) of them done all the same
      """)
  }

  private struct Tally {
    var (trialCount, failureCount, errorCount, doneCount) = (0, 0, 0, 0)

    mutating func count(_ outcome: FaultTrial.Outcome) {
      trialCount += 1
      failureCount += outcome.failureCount
      errorCount += outcome.error == nil ? 0 : 1
      doneCount += outcome.isDoneAllTheSame ? 1 : 0
    }
  }
}
