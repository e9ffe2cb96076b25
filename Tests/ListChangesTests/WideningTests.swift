import TestSupport
import Testing

@testable import ListChanges

/// The change set of two lists, made from that of what is left of them without common stretches.
struct WideningTests {
  /// Takes stretches of equal items out of both lists.
  ///
  /// - Parameter isTaken: whether an item that is equal in both lists is taken.
  private func widened(
    _ old: [Pair], _ new: [Pair], taking isTaken: (Pair) -> Bool
  ) -> ChangeSet<Pair> {
    var runs: [Alignment.Run] = []
    for (index, item) in new.enumerated() where isTaken(item) {
      guard let place = old.firstIndex(of: item) else { continue }
      runs.append(.init(old: place, new: index, count: 1))
    }
    let (oldTaken, newTaken) = (Set(runs.map(\.old)), Set(runs.map(\.new)))
    let rest = trustedChanges(
      from: old.enumerated().filter { !oldTaken.contains($0.offset) }.map(\.element),
      to: new.enumerated().filter { !newTaken.contains($0.offset) }.map(\.element),
      usesBits: true)
    let changes = ChangeSet(
      widening: rest, by: joined(runs), oldCount: old.count, newCount: new.count)
    return changes.namingMoves { old[$0].id }
  }

  private func joined(_ runs: [Alignment.Run]) -> [Alignment.Run] {
    Alignment(oldCount: 0, newCount: 0, pieces: runs).runs
  }

  @Test func wideningIsTheDirectComparisonForAllShortListsAndStretches() {
    let lists = allLists(over: 4)
    for old in lists {
      for order in lists {
        // Item 0 is another one wherever it stays.
        let new = order.map { Pair(id: $0.id, value: $0.id == 0 ? 1 : 0) }
        let direct = trustedChanges(from: old, to: new, usesBits: true)
        for taken in 0..<16 {
          let changes = widened(old, new) { taken & 1 << $0.id != 0 }
          guard changes == direct else {
            Issue.record("\(old) to \(new), \(taken): \(changes), not \(direct)")
            return
          }
        }
      }
    }
  }

  @Test func wideningIsTheDirectComparisonForRandomLists() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<2_000 {
      let old = random.list(limit: 30)
      let new = random.edited(old, limit: 30)
      let taken = Set(old.map(\.id).filter { _ in random.chance(2) })
      let direct = trustedChanges(from: old, to: new, usesBits: true)
      let changes = widened(old, new) { taken.contains($0.id) }
      guard changes == direct else {
        Issue.record("\(old) to \(new) without \(taken): \(changes), not \(direct)")
        return
      }
    }
  }
}
