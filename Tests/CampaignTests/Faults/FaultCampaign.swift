import StoreTestSupport
import TestSupport
import Testing

/// Campaign 4: an act on a store whose files fail happens completely or not at all. The error is
/// clear, and the store remains usable.
@Suite struct FaultCampaign {
  /// The number of faults of a kind that the share tries with each act.
  private static let shareCount = 1

  @Test func pageOfTheTestsCountsTheActs() throws {
    #expect(try Campaign.page().contains(", in \(FaultAct.all.count) acts: commits, edits, chec"))
  }

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func actIsDoneOrNotDoneWhicheverFileOperationFailsAndTheStoreGoesOn() async throws {
    let campaign = Campaign("faults")
    var random = campaign.random()
    var tally = Tally()
    for act in FaultAct.all {
      let trial = try await FaultTrial(act)
      for kind in FaultKind.allCases {
        let count = trial.count(of: kind.operations)
        guard count > 0 else { continue }
        let stride = max(1, count / campaign.rounds(Self.shareCount, long: .max))
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
