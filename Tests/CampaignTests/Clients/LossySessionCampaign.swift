import TestSupport
import Testing

/// Campaign 17 with the session that programs use: the machine with its tasks and updates.
@Suite struct LossySessionCampaign {
  private let campaign = Campaign("lossy session")

  /// Requests fail by chance, and the session restarts.
  @Test(.timeLimit(.minutes(Hang.minutes)))
  func sessionAndItsViewsEndWithTheExactListDespiteFaults() async throws {
    var random = campaign.random()
    let rounds = campaign.rounds(12, long: 2_000)
    var (updates, requests, restarts) = (0, 0, 0)
    for _ in 0..<rounds {
      let seed = random.next()
      let server = try await LiveServer(itemCount: random.element(of: [3, 8, 40]), seed: seed)
      let run = try SessionRun(server, seed: seed)
      do {
        try await run.run(stepCount: 40)
      } catch {
        Issue.record("seed \(campaign.seed), run \(seed): \(error)")
      }
      updates += run.updateCount
      requests += run.requestCount
      restarts += run.restartCount
    }
    campaign.report(
      "\(rounds) runs, \(requests) requests, \(restarts) restarts, \(updates) updates shown")
  }
}
