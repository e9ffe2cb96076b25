import ListChanges
import TestSupport
import Testing

/// Every law on every pair of lists over five ids, and on every chain of three over four: once with
/// equal contents, once with random ones. The share takes each k-th, from a different start in each
/// run.
@Suite struct ExhaustiveLawCampaign {
  private let campaign = Campaign("exhaustive laws")

  @Test func allLawsAndRenderingsHoldForAllPairsOfListsOverFiveIDs() async throws {
    let lists = allLists(over: 5)
    #expect(lists.count == 326)
    var random = campaign.random()
    let stride = campaign.rounds(499, long: 1)
    var (pairCount, changeCount) = (0, 0)
    for number in Swift.stride(from: random.number(0...stride - 1), to: 326 * 326, by: stride) {
      let (old, new) = (lists[number / 326], lists[number % 326])
      for pair in [[old, new], [random.contents(old), random.contents(new)]] {
        let cut = number
        let isBroken = await brokenLaw { try await Self.check(pair, cut: cut) } != nil
        try await expect(pair, isBroken: isBroken) { try await Self.check($0, cut: cut) }
        pairCount += 1
        changeCount += try pair[0].changes(to: pair[1]).count
      }
    }
    campaign.report("\(pairCount) pairs of \(2 * 326 * 326), \(changeCount) changes, all laws hold")
  }

  @Test func compositionEqualsTheDirectDiffForAllChainsOfThreeListsOverFourIDs() async throws {
    var random = campaign.random(1)
    let ids = allLists(over: 4)
    #expect(ids.count == 65)
    var chainCount = 0
    let stride = campaign.rounds(331, long: 1)
    for pass in 0..<2 {
      // One set of contents for each list of the chain; the last set is sometimes the first again.
      var lists = (0..<3).map { _ in pass == 0 ? ids : ids.map { random.contents($0) } }
      if pass == 1 {
        for index in ids.indices where index % 2 == 0 { lists[2][index] = lists[0][index] }
      }
      let tables = try [(0, 1), (1, 2), (0, 2)].map { old, new in
        try lists[old].map { old in try lists[new].map { try old.changes(to: $0) } }
      }
      for number in Swift.stride(from: random.number(0...stride - 1), to: 65 * 65 * 65, by: stride)
      {
        let (a, b, c) = (number / 65 / 65, number / 65 % 65, number % 65)
        let chain = [lists[0][a], lists[1][b], lists[2][c]]
        let single = [tables[0][a][b], tables[1][b][c]]
        let broken = broken {
          try ChainLaws.check(
            single, direct: tables[2][a][c], first: chain[0], last: chain[2], cut: 1)
          try ChainLaws.checkReplay(chain, single)
          try ChainLaws.checkIndexUpdates(chain, single)
        }
        try await expect(chain, isBroken: broken != nil) {
          try ChainLaws.check($0, cut: 1)
          try ChainLaws.checkIndexUpdates($0, steps(of: $0))
        }
        chainCount += 1
      }
    }
    campaign.report("\(chainCount) chains of \(2 * 65 * 65 * 65), all laws hold")
  }

  private static func check(_ pair: [[Pair]], cut: Int) async throws {
    try PairLaws.check(pair[0], pair[1])
    try RenderingLaws.check(pair[0], pair[1])
    try await ViewLaws.check(pair[0], pair[1])
    // Both lists in two sections, split anywhere, and the sections in either order.
    let (old, new) = (
      sections(of: pair[0], cut: cut, isTurned: false),
      sections(of: pair[1], cut: cut / 7, isTurned: cut % 3 == 0)
    )
    try SectionLaws.check(old, new)
    try await ViewLaws.check(old, new)
  }

  private static func sections(of list: [Pair], cut: Int, isTurned: Bool) -> [PairSection] {
    let cut = cut % (list.count + 1)
    let (first, second) = (Pair(id: 0, value: cut % 2), Pair(id: 1, value: 0))
    return [
      .init(isTurned ? second : first, items: Array(list[..<cut])),
      .init(isTurned ? first : second, items: Array(list[cut...])),
    ]
  }

  private func expect(
    _ lists: [[Pair]], isBroken: Bool, check: @escaping LawCheck
  ) async throws {
    guard isBroken else { return }
    let shrunk = await ShrunkLists(lists, leastCount: lists.count, breaking: check)
    Issue.record("seed \(campaign.seed): \(lists) breaks a law; shrunk: \(shrunk)")
    throw BrokenLaw(description: "\(shrunk)")
  }
}

extension SeededRandom {
  /// The same ids with random contents.
  fileprivate mutating func contents(_ list: [Pair]) -> [Pair] {
    list.map { Pair(id: $0.id, value: number(0...1)) }
  }
}
