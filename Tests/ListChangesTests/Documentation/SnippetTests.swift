import ListChanges
import Testing

/// The Swift of `ListChanges.md`, `ChangeSets.md` and `CanonicalComposition.md`, which
/// ``DocumentationTests`` compares with it.
@Suite struct SnippetTests {
  // snippet: movie
  struct Movie: Identifiable, Equatable {
    let id: Character
    var stars = 3
  }

  func movies(_ ids: String) -> [Movie] { ids.map { Movie(id: $0) } }
  // end

  @Test func tenLinesCompareRenderAndApplyChanges() throws {
    // snippet: ten-lines
    struct Park: Identifiable, Equatable {
      let id: Int
      var name: String
    }
    let old = [Park(id: 1, name: "Arches"), Park(id: 2, name: "Great Smoky Mountains")]
    let new = [Park(id: 2, name: "Great Smokies"), Park(id: 3, name: "Zion"), old[0]]
    let changes = try old.changes(to: new)
    let batch = changes.batchUpdates()
    #expect(batch.moved == [IndexMove(from: 0, to: 2)])
    #expect(batch.inserted == [1] && batch.reloaded == [1] && batch.deleted == [])
    #expect(try old.applying(changes) == new)
    // end
  }

  @Test func fourArraysHoldTheRemovedMovedInsertedAndUpdatedItems() throws {
    // snippet: four-arrays
    let old = movies("abcd")
    var new = movies("dbce")
    new[1].stars = 5
    let changes = try old.changes(to: new)
    #expect(changes.removed == [.init(from: 0, element: old[0])])
    #expect(changes.moved == [.init(from: 3, to: 0, id: "d")])
    #expect(changes.inserted == [.init(to: 3, element: new[3])])
    #expect(changes.updated == [.init(from: 1, to: 1, old: old[1], new: new[1])])
    #expect(changes.count == 4 && changes.oldCount == 4 && changes.newCount == 4)
    // end
  }

  @Test func keyPathsNameTheIDAndTheContent() throws {
    // snippet: named-ids
    struct Channel {
      let code: String
      var title: String
    }
    let old = [Channel(code: "a", title: "News"), Channel(code: "b", title: "Films")]
    let new = [Channel(code: "b", title: "Films"), Channel(code: "a", title: "World News")]
    let changes = try old.changes(to: new, id: \.code, content: \.title)
    #expect(changes.moved.count == 1)
    #expect(changes.updated.map(\.new.content) == ["World News"])
    // end
  }

  @Test func repeatedIDsArePairedInTheirOrder() {
    // snippet: repeated-ids
    let old = movies("aba")
    let new = movies("aab")
    let changes = old.changesNumberingOccurrences(to: new)
    #expect(changes.removed.isEmpty && changes.inserted.isEmpty)
    #expect(changes.moved.count == 1)
    // end
  }

  @Test func movesDescribeTheOrderOfItemsAndNotTheirIndexes() throws {
    // snippet: moves-are-not-index-changes
    let changes = try movies("abcd").changes(to: movies("bdce"))
    #expect(changes.removed.map(\.from) == [0])
    #expect(changes.moved == [.init(from: 2, to: 2, id: "c")])
    // end
  }

  @Test func applyingGivesTheNewListAndTheInverseGivesTheOldList() throws {
    // snippet: apply-and-invert
    let (old, new) = (movies("abcd"), movies("dbce"))
    let changes = try old.changes(to: new)
    #expect(try old.applying(changes) == new)
    #expect(try new.applying(changes.inverted()) == old)
    #expect(try changes.inverted() == new.changes(to: old))
    // end
  }

  @Test func applyingToADifferentListThrowsANamedError() throws {
    // snippet: apply-to-another-list
    let changes = try movies("abcd").changes(to: movies("dbce"))
    #expect(throws: ListChangesError<Character>.countMismatch(expected: 4, found: 3)) {
      try movies("abc").applying(changes)
    }
    #expect(throws: ListChangesError<Character>.itemMismatch(index: 0, expected: "a")) {
      try movies("xbcd").applying(changes)
    }
    // end
  }

  @Test func composedChangesEqualTheDirectComparison() throws {
    // snippet: compose
    let (a, b, c) = (movies("abcd"), movies("dbce"), movies("ebad"))
    let first = try a.changes(to: b)
    let second = try b.changes(to: c)
    #expect(try first.composed(with: second) == a.changes(to: c))
    // end
  }

  @Test func manyStepsComposeIntoOne() throws {
    // snippet: compose-many
    let versions = ["abcd", "abd", "dab", "dabe", "dbe"].map(movies)
    let steps = try zip(versions, versions.dropFirst()).map { try $0.changes(to: $1) }
    #expect(try ChangeSet.composing(steps) == versions[0].changes(to: versions[4]))
    // end
  }

  @Test func replayedListAppliesManyStepsInOrder() throws {
    // snippet: replay
    let versions = ["abcd", "abd", "dab", "dabe", "dbe"].map(movies)
    var list = ReplayedList(versions[0])
    for (version, next) in zip(versions, versions.dropFirst()) {
      try list.apply(version.changes(to: next))
    }
    #expect(list.elements == versions[4])
    // end
  }

  @Test func listsOfOneBaseMerge() throws {
    // snippet: merge
    let (base, mine, theirs) = (movies("abc"), movies("cabd"), movies("aec"))
    let merge = try mine.merged(into: theirs, base: base)
    if let changes = merge.changes {
      #expect(try theirs.applying(changes) == movies("caed"))
    }
    // end
    #expect(merge.conflicts.isEmpty && merge.changes != nil)
  }

  @Test func conflictsAreDecidedByAPreferenceOrAClosure() throws {
    // snippet: merge-conflict
    let base = movies("ab")
    let mine = [Movie(id: "a", stars: 5), base[1]]
    let theirs = [Movie(id: "a", stars: 1), base[1]]
    let merge = try mine.merged(into: theirs, base: base)
    #expect(merge.changes == nil && merge.conflicts.map(\.kind) == [.changed])
    let preferred = try mine.merged(into: theirs, base: base, preferring: .mine)
    #expect(preferred.changes?.updated.map(\.new) == [mine[0]])
    let best = try mine.merged(into: theirs, base: base) { base, mine, theirs in
      mine.stars > theirs.stars ? mine : theirs
    }
    #expect(best.conflicts.isEmpty && best.changes == preferred.changes)
    // end
  }

  @Test func composedMoveWithoutAMatchingStepHasNoID() throws {
    // snippet: move-without-id
    let (a, b, c) = (movies("abc"), movies("bca"), movies("cab"))
    let first = try a.changes(to: b)
    let second = try b.changes(to: c)
    #expect(first.moved.map(\.id) == ["a"] && second.moved.map(\.id) == ["b"])
    let whole = first.composed(with: second)
    #expect(whole.moved == [.init(from: 2, to: 0, id: nil)])
    #expect(whole.moved[0].id == nil)
    #expect(whole.namingMoves { a[$0].id }.moved[0].id == "c")
    #expect(try a.applying(whole) == c)
    // end
  }

  @Test func repeatedIDIsRefusedWithBothIndexes() {
    // snippet: duplicate-id
    #expect(throws: ListChangesError<Character>.duplicateID("a", first: 0, second: 2, side: .new)) {
      try movies("ab").changes(to: movies("aba"))
    }
    // end
  }

  @Test func trustedIDsGiveTheSameChangesAsCheckedIDs() throws {
    let (old, new) = (movies("abcd"), movies("dbce"))
    // snippet: trusted-ids
    let changes = old.changes(to: new, ids: .trusted)
    // end
    #expect(try changes == old.changes(to: new))
  }

  @Test func callerCanCancelAComparison() throws {
    let (old, new) = (movies("abcd"), movies("dbce"))
    // snippet: cancel
    let changes = try old.changes(to: new, isCancelled: { Task.isCancelled })
    // end
    #expect(try old.applying(changes) == new)
    let many = (0..<100_000).map { Number(id: $0) }
    #expect(throws: ListChangesError<Int>.cancelled) {
      try many.changes(to: Array(many.reversed()), isCancelled: { true })
    }
    #expect(many.changes(to: many.reversed(), ids: .trusted, isCancelled: { true }) == nil)
  }

  @Test func changeSetChecksPartsFromTheCaller() throws {
    // snippet: parts-from-outside
    #expect(throws: ListChangesError<Character>.self) {
      try ChangeSet<Movie>(
        oldCount: 2, newCount: 2, removed: [], moved: [.init(from: 0, to: 5, id: "a")],
        inserted: [], updated: [])
    }
    let moved = try ChangeSet<Movie>(
      oldCount: 3, newCount: 3, removed: [],
      moved: [.init(from: 1, to: 0, id: "b"), .init(from: 2, to: 1, id: "c")],
      inserted: [], updated: [])
    #expect(moved.canonical().moved == [.init(from: 0, to: 2, id: nil)])
    // end
  }

  private struct Number: Identifiable, Equatable { let id: Int }
}
