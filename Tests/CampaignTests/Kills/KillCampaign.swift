import StoreTestSupport
import TestSupport
import Testing

/// Processes that are killed while they write: every acknowledged act is stored, and at most one
/// more, complete.
@Suite struct KillCampaign {
  private static let killsPerStore = 25

  @Test func killedProcessKeepsEveryAcknowledgedActAndAtMostOneMore() async throws {
    let campaign = Campaign("kill")
    let source = try await KillSource(seed: campaign.seed)
    var tally = KillTally()
    let killCount = campaign.rounds(25, long: 5000)
    for storeNumber in 0..<killCount / Self.killsPerStore {
      var random = campaign.random(storeNumber)
      var victim = try Victim(seed: random.next(), source: source)
      defer { victim.remove() }
      for kill in 0..<Self.killsPerStore {
        do {
          try await Self.kill(&victim, number: kill, &tally, &random)
        } catch {
          Issue.record(
            "seed \(campaign.seed), store \(storeNumber), kill \(kill): \(error)")
          break
        }
      }
    }
    campaign.report(tally.figures)
    #expect(tally.killCount == killCount)
    // It is chance which kill comes there: a share may have none.
    #expect(
      tally.doneCount > 0 || !Campaign.isLong, "no kill came between an act and its acknowledgement"
    )
    #expect(tally.hotLogCount > killCount / 4, "most kills leave a write-ahead log")
  }

  private static func kill(
    _ victim: inout Victim, number: Int, _ tally: inout KillTally, _ random: inout SeededRandom
  ) async throws {
    let seconds = Double.random(in: 0...0.05, using: &random)
    // Some processes die while they create the store, or while they open another one's files.
    let kill: WorkerProcess.Kill =
      number % 8 == 0 ? .afterStart(seconds: seconds * 2) : .afterFirstLine(seconds: seconds)
    tally.acknowledgedCount += try await victim.work(kill: kill)
    tally.killCount += 1
    tally.acts[victim.nextAct.kind.name, default: 0] += 1
    tally.hotLogCount += victim.hasHotLog ? 1 : 0
    // In some rounds the next process, not the test, opens the files first.
    if number % 4 == 2 { return }
    if case .doneUnacknowledged = try await victim.check() { tally.doneCount += 1 }
  }
}

/// Counts of the kills and their results.
private struct KillTally {
  var killCount = 0
  var acknowledgedCount = 0
  /// Kills between the end of an act and its acknowledgement.
  var doneCount = 0
  var hotLogCount = 0
  /// The acts that the killed processes were running.
  var acts: [String: Int] = [:]

  var figures: String {
    let acts = acts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      \(killCount) kills, \(acknowledgedCount) acts acknowledged before them, \
      \(doneCount) acts done and not acknowledged, \(hotLogCount) write-ahead logs left behind; \
      killed during \(acts.joined(separator: ", "))
      """
  }
}
