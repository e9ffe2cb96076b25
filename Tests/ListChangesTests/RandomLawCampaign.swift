import ListChanges
import TestSupport
import Testing

/// The laws on random chains of lists of 1 to 100,000 items: returning items, block moves,
/// reversals, rotations, and lists that are emptied and refilled.
@Suite struct RandomLawCampaign {
  private let campaign = Campaign("random laws")

  @Test func allLawsAndRenderingsHoldOnRandomListsOfUpToAHundredItems() async throws {
    try await run(0, rounds: campaign.rounds(20, long: 20_000), stepCount: 1...4) { random, _ in
      random.number(0...100)
    }
  }

  @Test func allLawsHoldOnRandomListsOfUpTo100000Items() async throws {
    try await run(1, rounds: campaign.rounds(2, long: 160), stepCount: 1...2) { random, round in
      switch round % 8 {
      case 0: random.number(1_000...10_000)
      case 7: 100_000
      default: random.size(upTo: 100_000)
      }
    }
  }

  @Test func longChainsComposeToTheDirectDiff() async throws {
    var stepCount = 0
    let rounds = campaign.rounds(3, long: 300)
    for round in 0..<rounds {
      var random = campaign.random(2_000_000 + round)
      // Every list and every step of a chain stays in memory, so memory grows with both numbers.
      let count = random.size(upTo: campaign.rounds(60, long: 300))
      let itemCount = random.size(upTo: campaign.rounds(100, long: 1_000))
      let chain = chain(&random, itemCount: itemCount, stepCount: count)
      stepCount += count
      try await check(chain, "round \(round)") { try ChainLaws.check($0, cut: $0.count / 3) }
    }
    campaign.report("\(rounds) long chains of \(stepCount) steps, all compose to the direct diff")
  }

  @Test func changesWithRepeatedIDsLeadFromAnyListToAnyOther() async throws {
    let rounds = campaign.rounds(150, long: 100_000)
    for round in 0..<rounds {
      var random = campaign.random(3_000_000 + round)
      let lists = (0..<2).map { _ in
        let idCount = random.number(1...20)
        return (0..<random.number(0...20)).map { _ in
          Pair(id: random.number(1...idCount), value: random.number(0...1))
        }
      }
      try await check(lists, "round \(round)") {
        try DuplicateLaws.check($0[0], $0[1])
        try await ViewLaws.check($0[0], $0[1])
      }
    }
    campaign.report("\(rounds) pairs of lists with repeated ids, all laws hold")
  }

  private func run(
    _ part: Int, rounds: Int, stepCount: ClosedRange<Int>,
    size: (_ random: inout SeededRandom, _ round: Int) -> Int
  ) async throws {
    var (listCount, itemCount, largest) = (0, 0, 0)
    for round in 0..<rounds {
      var random = campaign.random(part * 1_000_000 + round)
      let size = size(&random, round)
      let lists = chain(&random, itemCount: size, stepCount: random.number(stepCount))
      try await check(lists, "round \(round)") { lists in
        for (old, new) in zip(lists, lists.dropFirst()) {
          try PairLaws.check(old, new)
          try RenderingLaws.check(old, new)
          // The main actor performs these, for one campaign after the other.
          if old.count <= 1_000 { try await ViewLaws.check(old, new) }
        }
        try ChainLaws.check(lists, cut: lists.count / 2)
        try ChainLaws.checkIndexUpdates(lists, steps(of: lists))
      }
      listCount += lists.count
      itemCount += lists.joined().count
      largest = lists.map(\.count).reduce(largest, max)
    }
    campaign.report(
      "\(rounds) chains of \(listCount) lists with \(itemCount) items, the longest of \(largest), "
        + "all laws hold")
  }

  private func chain(
    _ random: inout SeededRandom, itemCount: Int, stepCount: Int
  ) -> [[Pair]] {
    var chain = RandomChain(random, itemCount: itemCount)
    for _ in 0..<stepCount { chain.extend() }
    return chain.lists
  }

  private func check(
    _ lists: [[Pair]], _ round: String, _ check: @escaping LawCheck
  ) async throws {
    guard await brokenLaw({ try await check(lists) }) != nil else { return }
    let shrunk = await ShrunkLists(lists, breaking: check)
    Issue.record("seed \(campaign.seed), \(round): \(shrunk)")
    throw BrokenLaw(description: "\(shrunk)")
  }
}
