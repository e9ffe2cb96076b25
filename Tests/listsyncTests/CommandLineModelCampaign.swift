import TestSupport
import Testing

/// A few sequences of the model campaign through the built program. Its JSON must equal the twin's
/// answers.
@Suite struct CommandLineModelCampaign {
  @Test func programAnswersEverySequenceOfVerbsLikeAPlainListOfVersions() async throws {
    let campaign = Campaign("command line model")
    let rounds = campaign.rounds(2, long: 200)
    var runCount = 0
    for round in 0..<rounds {
      let model = try CommandLineModel(campaign.random(round))
      do {
        try await model.execute(stepCount: 12)
      } catch {
        let runs = model.runs.joined(separator: "\n")
        Issue.record("seed \(campaign.seed), round \(round):\n\(runs)\n\(error)")
        return
      }
      runCount += model.runs.count
    }
    campaign.report("\(rounds) sequences of \(runCount) runs; all answers are the twin's")
  }
}
