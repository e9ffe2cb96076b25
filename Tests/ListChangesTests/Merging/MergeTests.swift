import Testing

@testable import ListChanges

/// Merges of lists of letters; a digit behind a letter is its content.
struct MergeTests {
  private func list(_ text: String) -> [Pair] {
    text.split(separator: " ").map { word in
      Pair(id: Int(word.utf8.first ?? 0), value: Int(word.dropFirst()) ?? 0)
    }
  }

  private func text(_ list: [Pair]) -> String {
    list.map { pair in
      String(UnicodeScalar(UInt8(pair.id))) + (pair.value == 0 ? "" : "\(pair.value)")
    }.joined(separator: " ")
  }

  private func merged(
    _ base: String, _ mine: String, _ theirs: String, preferring side: MergeSide? = nil
  ) throws -> String? {
    let merge = try list(mine).merged(
      into: list(theirs), base: list(base), preferring: side, merging: MergeLaws.mergeMembers)
    return try merge.changes.map { text(try list(theirs).applying($0)) }
  }

  @Test(arguments: [
    // The examples of the documentation.
    ("a b c", "c a b d", "a e c", "c a e d"),
    ("a b c d e", "d a x b c e y", "c b a e z", "c b a x e z y"),
    // Insertions of both at one place: mine stands behind its own neighbour.
    ("a b", "a x b", "a y b", "a x y b"), ("a b", "x a b", "y a b", "x y a b"),
    // At the end mine comes last, and so does a pair of lists that both appended to.
    ("a b", "a b x", "a b y", "a b y x"), ("a", "a x y", "a s t", "a s t x y"),
    ("", "x", "y", "y x"), ("", "x y z", "q x z", "q x y z"),
    // What theirs appended, too, stays behind what comes before it in mine, and only there.
    ("a", "a x y", "y a", "y a x"), ("a", "a x y z", "a z y", "a x z y"),
    // A moved item and its neighbours; both moved: mine decides.
    ("a b c d", "b c d a", "a b x c d", "b x c d a"), ("a b c", "c a b", "a c b", "c a b"),
    // An anchor that theirs removed: the nearest one before it counts.
    ("a b c d", "a b x c d", "a d", "a x d"), ("a b c", "x b c", "c", "x c"),
    // Removed by both or by one side; a move of a removed item is lost.
    ("a b c", "a c", "a b", "a"), ("a b c", "b c a", "b c", "b c"),
    ("a b c", "b c", "c a b", "c b"),
    // Contents: 1 and 4 are two members, 5 is both.
    ("a b", "a1 b", "a4 b", "a5 b"), ("a b", "b a1", "a4 b", "b a5"), ("a1", "a", "a5", "a4"),
    ("a", "a2", "a2", "a2"), ("", "x1", "x1", "x1"),
  ])
  func mergeGivesTheList(base: String, mine: String, theirs: String, expected: String) throws {
    #expect(try merged(base, mine, theirs) == expected)
  }

  @Test(arguments: [
    ("a b", "a1 b", "a2 b", MergeConflictKind.changed, "a1 b", "a2 b"),
    ("b", "x1 b", "b x2", .inserted, "b x1", "b x2"),
    ("a b", "b", "a1 b", .removedByMine, "b", "a1 b"),
    ("a b", "a1 b", "b", .removedByTheirs, "a1 b", "b"),
    // An item that is both moved and changed stays where the preferred side has it.
    ("a b", "b a1", "b", .removedByTheirs, "b a1", "b"),
    ("a b c", "c a b1", "c a", .removedByTheirs, "c a b1", "c a"),
  ])
  func preferenceDecidesAConflict(
    base: String, mine: String, theirs: String, kind: MergeConflictKind, withMine: String,
    withTheirs: String
  ) throws {
    let merge = try list(mine).merged(into: list(theirs), base: list(base))
    #expect(merge.changes == nil)
    let conflict = try #require(merge.conflicts.first)
    #expect(merge.conflicts.count == 1 && conflict.kind == kind)
    #expect(conflict.base == list(base).first { $0.id == conflict.id })
    #expect(conflict.mine == list(mine).first { $0.id == conflict.id })
    #expect(conflict.theirs == list(theirs).first { $0.id == conflict.id })
    #expect(try merged(base, mine, theirs, preferring: .mine) == withMine)
    #expect(try merged(base, mine, theirs, preferring: .theirs) == withTheirs)
  }

  @Test func allLawsHoldForAllOrdersOverThreeIDs() throws {
    for count in 0...3 {
      let base = (0..<count).map { Pair(id: $0, value: 0) }
      for mine in allLists(over: 3) {
        for theirs in allLists(over: 3) {
          let broken = broken { try MergeLaws.check([base, mine, theirs]) }
          #expect(broken == nil, "\(base) \(mine) \(theirs)")
        }
      }
    }
  }

  @Test func idThatOneListHasTwiceIsRefused() {
    #expect(throws: ListChangesError<Int>.duplicateID(97, first: 0, second: 1, side: .new)) {
      try list("a a").merged(into: list("a"), base: list("a"))
    }
    #expect(throws: ListChangesError<Int>.duplicateID(97, first: 0, second: 1, side: .old)) {
      try list("a").merged(into: list("a"), base: list("a a"))
    }
  }

  @Test func mergeOfListsNamesEveryMove() throws {
    let merge = try list("c a b d").merged(into: list("b d c a"), base: list("a b c d"))
    let moved = try #require(merge.changes?.moved)
    #expect(!moved.isEmpty && moved.allSatisfy { $0.id == list("b d c a")[$0.from].id })
  }

  /// Which items mine moved follows from its two lists, and not from the moves of its change set.
  @Test func movesThatAreNotCanonicalMergeAlike() throws {
    let base = list("a b c d")
    let mine = try ChangeSet<Pair>(
      oldCount: 4, newCount: 4, moved: (1...3).map { .init(from: $0, to: $0 - 1, id: base[$0].id) })
    let theirs = try base.changes(to: list("a b x c d"))
    let merge = mine.merged(into: theirs)
    #expect(try merge == base.applying(mine).changesMerged(into: list("a b x c d"), base: base))
    #expect(merge.changes?.moved.map(\.from) == [0])
  }
}

extension [Pair] {
  fileprivate func changesMerged(into theirs: [Pair], base: [Pair]) throws -> ListMerge<Pair> {
    try base.changes(to: self).merged(into: base.changes(to: theirs))
  }
}
