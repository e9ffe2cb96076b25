import PostgresTestSupport
import TestSupport
import Testing

/// Random sequences of every service call, with bad requests, on two stores that exchange versions,
/// against a twin in memory that is written only for clarity.
@Suite struct ModelCampaign {
  private let campaign = Campaign("model")

  @Test func storeAnswersEverySequenceOfCallsLikeAPlainListOfVersions() async throws {
    try await run(on: [.sqlite, .sqlite], campaign.rounds(8, long: 4_000))
  }

  /// Versions go from a file to a database and back.
  @Test(.enabled(if: PostgresServer.isHere, "needs PostgreSQL: see make test-postgres"))
  func databaseAnswersEverySequenceOfCallsLikeAPlainListOfVersions() async throws {
    try await run(on: [.postgres, .sqlite], campaign.rounds(8, long: 400))
  }

  private func run(on engines: [StoreEngine], _ rounds: Int) async throws {
    var (callCount, refusalCount, largeCount) = (0, 0, 0)
    var counts: [ModelCommand.Verb: Int] = [:]
    for round in 0..<rounds {
      var random = campaign.random(round)
      // One in twenty has a list that is longer than a part of a stored order.
      let isLarge = round % 20 == 19
      var commands = ModelCommand.sequence(
        .random(in: isLarge ? 5...12 : 10...45, using: &random), &random)
      // Four verbs in turn, so that a few rounds have them all.
      for verb in (4 * round..<4 * round + 4).map({ ModelCommand.Verb.allCases[cyclic: $0] }) {
        let command = ModelCommand(verb: verb, seed: .random(in: 0..<1 << 32, using: &random))
        commands.insert(command, at: .random(in: 0...commands.count, using: &random))
      }
      let run = try ModelRun(isLarge: isLarge, on: engines)
      do {
        try await run.execute(commands)
      } catch {
        try await report(error, round, commands, isLarge: isLarge, engines)
      }
      callCount += run.calls.count
      refusalCount += run.refusalCount
      largeCount += isLarge ? 1 : 0
      for command in commands { counts[command.verb, default: 0] += 1 }
    }
    #expect(counts.count == ModelCommand.Verb.allCases.count, "a verb was left out")
    campaign.report(
      "\(rounds) sequences of \(callCount) calls, \(refusalCount) of them refused, \(largeCount) "
        + "with long lists; all answers are the twin's")
  }

  /// Shrinks a failing sequence, and reports the rest.
  private func report(
    _ error: any Error, _ round: Int, _ commands: [ModelCommand], isLarge: Bool,
    _ engines: [StoreEngine]
  ) async throws {
    let shrunk = await commands.shrunk(limit: 300) { commands in
      do {
        try await ModelRun(isLarge: isLarge, on: engines).execute(commands)
        return false
      } catch {
        return true
      }
    }
    let last = try ModelRun(isLarge: isLarge, on: engines)
    do {
      try await last.execute(shrunk)
      Issue.record("seed \(campaign.seed), round \(round): only once: \(error)")
    } catch {
      let calls = last.calls.joined(separator: "\n  ")
      Issue.record(
        """
        seed \(campaign.seed), round \(round)\(isLarge ? ", large" : ""), shrunk to
        "\(shrunk.map(\.description).joined(separator: ", "))":
          \(calls)
        \(error)
        """)
    }
    throw error
  }
}

extension Array {
  fileprivate subscript(cyclic index: Int) -> Element { self[index % count] }
}
