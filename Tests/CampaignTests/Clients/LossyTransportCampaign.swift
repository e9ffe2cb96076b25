import TestSupport
import Testing

/// Campaign 17: clients over a network that drops, repeats, reorders, cuts, falsifies and caches,
/// that crash, and whose server restores backups.
@Suite struct LossyTransportCampaign {
  private let campaign = Campaign("lossy transport")

  @Test(.timeLimit(.minutes(Hang.minutes)))
  func clientEndsWithTheExactListOrANamedRefusalDespiteFaults() async throws {
    let refusals = try await Refusals()
    var random = campaign.random()
    var tally = LossyTally()
    for round in 0..<campaign.rounds(1, long: 400) {
      // Most lists are short; some exceed the size that is packed, or a part of a stored order.
      let itemCount = [4, 4, 8, 30, 4, 12, 4, Campaign.isLong ? 1200 : 2][round % 8]
      let timeline = LossyTimeline(itemCount: itemCount, seed: random.next())
      let scripts = (0..<(itemCount > 100 ? 10 : 100)).map { _ in
        LossyTimeline.Script(seed: random.next())
      }
      for failure in try await timeline.run(scripts, refusals, &tally).prefix(2) {
        try await report(failure, timeline, refusals)
      }
    }
    campaign.report(tally.figures)
  }

  /// Shrinks a failing run, and reports the rest.
  private func report(
    _ failure: LossyTimeline.Failure, _ timeline: LossyTimeline, _ refusals: Refusals
  ) async throws {
    let lines = timeline.acts.map { ScriptLine.act($0) } + failure.script.lines
    let seed = failure.script.seed
    let shrunk = await lines.shrunk(limit: 200) { lines in
      (try? await timeline.replay(seed, lines, refusals))?.violation != nil
    }
    let last = try await timeline.replay(seed, shrunk, refusals)
    Issue.record(
      """
      seed \(campaign.seed), run \(seed): \(last.violation.map { "\($0)" } ?? "only once")
      first seen as: \(failure.violation)
      made of:
        \(shrunk.map(\.description).joined(separator: "\n  "))
      what happened:
        \(last.trace.suffix(120).joined(separator: "\n  "))
      """)
  }
}
