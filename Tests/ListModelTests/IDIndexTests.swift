import ListModel
import TestSupport
import Testing

struct IDIndexTests {
  /// The first index of every id as a dictionary knows it, against the table.
  private func expectFirstIndexes(_ ids: [ItemID], hash: (ItemID) -> Int) {
    var index = IDIndex()
    var known: [ItemID: Int] = [:]
    for (place, id) in ids.enumerated() {
      let first = index.firstIndex(hash: hash(id), orInsert: place) { ids[$0] == id }
      #expect(first == known[id], "\(id) at \(place)")
      if known[id] == nil { known[id] = place }
    }
  }

  @Test("every id is found again, also while the table grows")
  func everyIDIsFound() {
    var random = SeededRandom.forThisRun()
    let ids = (0..<2_000).map { _ in ItemID("\(Int.random(in: 0..<1_200, using: &random))") }
    expectFirstIndexes(ids) { $0.hashValue }
  }

  @Test("ids whose hashes are equal, or fall on the last slots, are told apart")
  func equalHashes() {
    let ids = (0..<90).map { ItemID("\($0 % 60)") }
    for hash in [0, -1, 1 << 32, 0xFFFF_FFFF] { expectFirstIndexes(ids) { _ in hash } }
    expectFirstIndexes(ids) { $0.text.utf8.count << 32 }
  }
}
