import TestSupport
import Testing

/// A few sequences of the model campaign through the built program: what it prints for programs is
/// what the twin says.
@Suite struct CommandLineModelCampaign {
  @Test("the program answers sequences of its verbs as a plain list of versions does")
  func sequences() async throws {
    let campaign = Campaign("command line model")
    let rounds = campaign.rounds(2, long: 200)
    var runCount = 0
    for round in 0..<rounds {
      let model = try CommandLineModel(campaign.random(round))
      do {
        try await model.carryOut(stepCount: 12)
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
