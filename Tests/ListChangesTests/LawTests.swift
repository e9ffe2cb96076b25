import TestSupport
import Testing

@testable import ListChanges

/// The laws of the algebra, exhaustively on small lists and then on random ones.
@Suite struct LawTests {
  @Test func changesGiveTheNewListAndTheirInverseUndoesThem() throws {
    let lists = allLists(over: 4)
    #expect(lists.count == 65)
    for old in lists { for new in lists { try checkPairLaws(old, new) } }
  }

  @Test func pairLawsHoldOnRandomLists() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<2_000 {
      let limit = [3, 8, 40][round % 3]
      let old = random.list(limit: limit)
      let new = round % 2 == 0 ? random.edited(old, limit: limit) : random.list(limit: limit)
      try checkPairLaws(old, new, "seed \(random.seed), round \(round)")
    }
  }

  @Test func compositionIsTheDirectDiffOnAllChainsOverThreeIDs() throws {
    let lists = allLists(over: 3)
    for a in lists { for b in lists { for c in lists { try checkComposition(a, b, c) } } }
  }

  @Test func compositionIsTheDirectDiffOnRandomChains() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<4_000 {
      let limit = [3, 6, 12, 40][round % 4]
      let a = random.list(limit: limit)
      let b = round % 5 == 0 ? random.list(limit: limit) : random.edited(a, limit: limit)
      let c = round % 7 == 0 ? random.list(limit: limit) : random.edited(b, limit: limit)
      try checkComposition(a, b, c, "seed \(random.seed), round \(round)")
    }
  }

  @Test func compositionIsAssociative() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<1_000 {
      let a = random.list(limit: 10)
      let b = random.edited(a, limit: 10)
      let c = random.edited(b, limit: 10)
      let d = random.edited(c, limit: 10)
      let (ab, bc, cd) = try (a.changes(to: b), b.changes(to: c), c.changes(to: d))
      #expect(
        ab.composed(with: bc).composed(with: cd) == ab.composed(with: bc.composed(with: cd)),
        "seed \(random.seed), round \(round): \(a) \(b) \(c) \(d)")
    }
  }

  @Test func composingALongHistoryIsTheDirectDiff() throws {
    var random = SeededRandom.forThisRun()
    var lists = [random.list(limit: 30)]
    for _ in 0..<100 { lists.append(random.edited(lists[lists.count - 1], limit: 30)) }
    let steps = try zip(lists, lists.dropFirst()).map { try $0.changes(to: $1) }
    for (from, to) in [(0, 100), (0, 1), (17, 60), (99, 100), (3, 50)] {
      let composed = try #require(ChangeSet.composing(steps[from..<to]))
      #expect(try composed == lists[from].changes(to: lists[to]), "seed \(random.seed)")
    }
    #expect(ChangeSet<Pair>.composing([]) == nil)
  }

  private func checkPairLaws(_ old: [Pair], _ new: [Pair], _ note: String = "") throws {
    let broken = broken { try PairLaws.check(old, new) }
    #expect(broken == nil, "\(note) \(old) → \(new)")
  }

  private func checkComposition(
    _ a: [Pair], _ b: [Pair], _ c: [Pair], _ note: String = ""
  ) throws {
    let composed = try a.changes(to: b).composed(with: b.changes(to: c))
    let context = Comment(rawValue: "\(note) \(a) → \(b) → \(c)")
    #expect(try composed == a.changes(to: c), context)
    #expect(composed.moved.allSatisfy { $0.id == nil || $0.id == a[$0.from].id }, context)
    let named = composed.namingMoves { a[$0].id }
    #expect(named.moved.allSatisfy { $0.id == a[$0.from].id }, context)
  }
}
