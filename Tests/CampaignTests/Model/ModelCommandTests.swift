import PostgresTestSupport
import TestSupport
import Testing

@Suite struct ModelCommandTests {
  @Test func printedSequenceReadsBackAsTheFailedOne() throws {
    var random = Campaign("printed sequences").random()
    let commands = ModelCommand.sequence(50, &random)
    let text = commands.map(\.description).joined(separator: ", ")
    let read = ModelCommand.sequence(text)
    #expect(read.map(\.verb) == commands.map(\.verb), "seed \(random.seed)")
    #expect(read.map(\.seed) == commands.map(\.seed), "seed \(random.seed)")
  }

  @Test func sequenceMakesTheSameCallsInEveryRun() async throws {
    let commands = ModelCommand.sequence(
      "commit 1, commit 2, edit 3, tag 4, prune 5, transfer 6, catchUp 7, delta 8, history 9")
    let engines = [StoreEngine.sqlite, .sqlite]
    let runs = [
      try ModelRun(isLarge: false, on: engines), try ModelRun(isLarge: false, on: engines),
    ]
    for run in runs { try await run.execute(commands) }
    #expect(runs[0].calls == runs[1].calls)
    #expect(runs[0].calls.count > commands.count)
  }

  /// A former fault: each part drew the numbers of the part before, shifted by one.
  @Test func partsOfACampaignNeverDrawTheSameNumbers() {
    let campaign = Campaign("parts")
    let numbers = (0..<50).flatMap { part in
      var random = campaign.random(part)
      return (0..<50).map { _ in random.next() }
    }
    #expect(Set(numbers).count == numbers.count, "seed \(campaign.seed)")
  }

  @Test func shrinkingKeepsOnlyTheElementsThatTheFailureNeeds() async {
    var triedCount = 0
    let shrunk = await Array(0..<200).shrunk {
      triedCount += 1
      return $0.contains(17) && $0.contains(160)
    }
    #expect(shrunk == [17, 160])
    #expect(triedCount < 100)
    #expect(await Array(0..<9).shrunk { _ in true } == [])
    #expect(await [3].shrunk { $0 == [3] } == [3])
  }
}
