import ListChangesTesting
import Testing

@testable import ListChanges

@Suite struct ArrayActionTests {
  @Test(
    arguments: [
      ("abc", "abc", []),
      ("abc", "ac", [.deleted(1)]),
      ("ac", "abc", [.added(1)]),
      ("abc", "bca", [.moved(0, 2)]),
      ("abcd", "dbe", [.deleted(0), .deleted(2), .moved(1, 1), .added(2)]),
    ] as [(String, String, [ArrayAction])])
  func actionsUseTheFewestMoves(old: String, new: String, expected: [ArrayAction]) throws {
    #expect(try Pair.list(old).changes(to: Pair.list(new)).actions() == expected)
  }

  @Test(arguments: MoveChoice.allCases)
  func actionsInOneBatchGiveTheNewOrder(choice: MoveChoice) throws {
    for pair in ListPair.smallAndRandom() {
      let updates = try BatchUpdates(pair.changes().actions(moves: choice))
      var view = CollectionViewSimulator(showing: pair.old)
      try view.performBatchUpdates(updates, showing: pair.new)
      #expect(view.showsItems(of: [pair.new]), "\(pair)")
    }
  }

  /// The original's comparison of two maps from element to index, in effect.
  @Test func actionsWithEveryIndexChangeMatchTheOriginalOfLukasZ() throws {
    for pair in ListPair.smallAndRandom() {
      let before = Dictionary(uniqueKeysWithValues: pair.old.enumerated().map { ($1.id, $0) })
      var after = Dictionary(uniqueKeysWithValues: pair.new.enumerated().map { ($1.id, $0) })
      var expected: Set<ArrayAction> = []
      for (id, from) in before {
        switch after.removeValue(forKey: id) {
        case nil: expected.insert(.deleted(from))
        case from: break
        case let to?: expected.insert(.moved(from, to))
        }
      }
      expected.formUnion(after.values.map { .added($0) })
      let actions = try pair.changes().actions(moves: .everyIndexChange)
      #expect(Set(actions) == expected, "\(pair)")
      #expect(actions.count == expected.count, "\(pair)")
    }
  }
}

extension BatchUpdates {
  /// All actions as one batch.
  init(_ actions: [ArrayAction]) {
    var (added, deleted, moved): ([Int], [Int], [IndexMove]) = ([], [], [])
    for action in actions {
      switch action {
      case .added(let to): added.append(to)
      case .deleted(let from): deleted.append(from)
      case .moved(let from, let to): moved.append(IndexMove(from: from, to: to))
      }
    }
    self.init(deleted: deleted, inserted: added, moved: moved)
  }
}
