import ListModel
import TestSupport
import Testing

struct IDIndexTests {
  /// Compares the table with a dictionary of every id's first index.
  private func expectFirstIndexes(_ ids: [ItemID], hash: (ItemID) -> Int) {
    var index = IDIndex()
    var known: [ItemID: Int] = [:]
    for (place, id) in ids.enumerated() {
      let first = index.firstIndex(hash: hash(id), orInsert: place) { ids[$0] == id }
      #expect(first == known[id], "\(id) at \(place)")
      if known[id] == nil { known[id] = place }
    }
  }

  @Test func everyIDIsFoundAlsoWhileTheTableGrows() {
    var random = SeededRandom.forThisRun()
    let ids = (0..<2_000).map { _ in ItemID("\(Int.random(in: 0..<1_200, using: &random))") }
    expectFirstIndexes(ids) { $0.hashValue }
  }

  @Test func idsWithEqualHashesOrHashesOfTheLastSlotsStayDistinct() {
    let ids = (0..<90).map { ItemID("\($0 % 60)") }
    for hash in [0, -1, 1 << 32, 0xFFFF_FFFF] { expectFirstIndexes(ids) { _ in hash } }
    expectFirstIndexes(ids) { $0.text.utf8.count << 32 }
  }
}
