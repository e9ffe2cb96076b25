import TestSupport
import Testing

@testable import ListChanges

@Suite struct EditedListTests {
  @Test func manyEditsGiveTheChangeSetFromTheFirstListToTheLastList() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<2000 {
      let old = random.list(limit: [4, 12, 100][round % 3])
      var new = old
      // Some items stay unknown.
      let known = old.indices.filter { _ in Int.random(in: 0..<3, using: &random) > 0 }
      var list = EditedList(
        count: old.count, indexes: Dictionary(uniqueKeysWithValues: known.map { (old[$0].id, $0) }),
        elements: known.map { old[$0] }, nodeCapacity: [5, 6, 32][round % 3])
      let note = Comment(rawValue: "seed \(random.seed), round \(round)")
      for id in known.map({ old[$0].id }) + [1000, 1001, 1002] + known.map({ old[$0].id })
      where Int.random(in: 0..<3, using: &random) > 0 {
        let index = new.firstIndex { $0.id == id }
        #expect(list.index(of: id) == index, note)
        #expect(list.remove(id) == index, note)
        if let index { new.remove(at: index) }
        if Int.random(in: 0..<4, using: &random) == 0 { continue }
        let item = Pair(id: id, value: .random(in: 0...2, using: &random))
        let place = Int.random(in: 0...new.count, using: &random)
        new.insert(item, at: place)
        list.insert(item, at: place)
        #expect(list.count == new.count && list.index(of: id) == place, note)
      }
      #expect(list.changes == (try old.changes(to: new)), note)
    }
  }

  @Test(arguments: [10_000, 1_000_000])
  func nodeCountGrowsWithTheEditsAndNotWithTheLength(count: Int) {
    let editCount = 2000
    let ids = (0..<editCount).map { $0 * 7919 % count }
    var list = EditedList(
      count: count, indexes: Dictionary(uniqueKeysWithValues: ids.map { ($0, $0) }),
      elements: ids.map { Pair(id: $0, value: 0) })
    for id in ids {
      let index = list.remove(id)
      list.insert(Pair(id: id, value: 1), at: index ?? 0)
    }
    #expect(list.changes.updated.count == editCount && list.changes.moved.isEmpty)
    // Each item was removed and inserted twice, once for tracking; a node holds 15 or more.
    #expect(list.nodeCount < 4 * editCount / 7)
  }
}
