import ListChanges
import TestSupport
import Testing

/// The laws of merging on every triple of lists over few ids, then on random ones.
///
/// The base is always a prefix of the ids in order, with equal contents: other names of ids and
/// other numbers would give the same cases. Theirs may have a third value in each member.
@Suite struct MergeLawCampaign {
  private let campaign = Campaign("merge laws")

  @Test func allLawsHoldForAllOrdersOverFourIDs() async throws {
    try await check(
      allLists(over: 4), allLists(over: 4), idCount: 4, stride: campaign.rounds(61, long: 1))
  }

  @Test func allLawsHoldForAllListsOverTwoIDsWithAllContents() async throws {
    try await check(
      Self.lists(over: 2, values: 2), Self.lists(over: 2, values: 3), idCount: 2,
      stride: campaign.rounds(61, long: 1))
  }

  @Test func allLawsHoldForAllListsOverThreeIDsWithAllContents() async throws {
    try await check(
      Self.lists(over: 3, values: 2), Self.lists(over: 3, values: 3), idCount: 3,
      stride: campaign.rounds(40_009, long: 97))
  }

  @Test func allLawsHoldForRandomLists() async throws {
    var (conflictCount, apart) = (0, 0)
    let rounds = campaign.rounds(200, long: 1_000_000)
    for round in 0..<rounds {
      var random = campaign.random(round)
      let size = random.number(0...[4, 8, 30][round % 3])
      var sides = [RandomChain(random, itemCount: size)]
      // The other side gets other edits, with some of the same new ids.
      sides.append(sides[0])
      sides[1].reseed(random.next())
      for index in sides.indices { sides[index].extend() }
      let lists = [sides[0].lists[0], sides[0].lists[1], sides[1].lists[1]]
      if try await expect(lists, "round \(round)") { apart += 1 }
      conflictCount += try lists[1].merged(into: lists[2], base: lists[0]).conflicts.count
    }
    campaign.report(
      "\(rounds) random triples with \(conflictCount) conflicts, "
        + "\(apart) edited at different places, all laws hold")
  }

  private func check(
    _ mine: [[Pair]], _ theirs: [[Pair]], idCount: Int, stride: Int
  ) async throws {
    let bases = (0...idCount).map { count in (0..<count).map { Pair(id: $0, value: 0) } }
    let count = bases.count * mine.count * theirs.count
    var random = campaign.random(-idCount)
    var (checked, apart) = (0, 0)
    for number in Swift.stride(from: random.number(0...stride - 1), to: count, by: stride) {
      let (pair, base) = number.quotientAndRemainder(dividingBy: bases.count)
      let lists = [bases[base], mine[pair / theirs.count], theirs[pair % theirs.count]]
      if try await expect(lists, "case \(number)") { apart += 1 }
      checked += 1
    }
    campaign.report(
      "\(checked) of \(count) triples over \(idCount) ids, \(apart) edited at different places, "
        + "all laws hold")
  }

  /// Every list over some ids with every content of two members, each of one of some values.
  private static func lists(over count: Int, values: Int) -> [[Pair]] {
    let contents = (0..<values).flatMap { a in (0..<values).map { b in a | b << 2 } }
    return allLists(over: count).flatMap { list in
      list.reduce([[]]) { lists, pair in
        lists.flatMap { list in contents.map { list + [Pair(id: pair.id, value: $0)] } }
      }
    }
  }

  /// - Returns: whether both sides edited different places.
  private func expect(_ lists: [[Pair]], _ note: String) async throws -> Bool {
    if let areApart = try? MergeLaws.check(lists) { return areApart }
    let shrunk = await ShrunkLists(lists, leastCount: 3) { try MergeLaws.check($0) }
    Issue.record("seed \(campaign.seed), \(note): \(lists); shrunk: \(shrunk)")
    throw BrokenLaw(description: "\(shrunk)")
  }
}
