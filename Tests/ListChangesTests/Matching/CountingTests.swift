import Testing

@testable import ListChanges

/// Complexity by counting the comparisons and hashes of ids and contents.
@Suite(.serialized) struct CountingTests {
  struct CountedID: Hashable, Sendable {
    nonisolated(unsafe) static var comparisons = 0
    nonisolated(unsafe) static var hashes = 0
    let number: Int

    static func == (a: Self, b: Self) -> Bool {
      comparisons += 1
      return a.number == b.number
    }

    func hash(into hasher: inout Hasher) {
      Self.hashes += 1
      hasher.combine(number)
    }
  }

  struct Counted: Identifiable, Equatable, Sendable {
    nonisolated(unsafe) static var comparisons = 0
    let id: CountedID
    var value = 0

    static func == (a: Self, b: Self) -> Bool {
      comparisons += 1
      return a.id.number == b.id.number && a.value == b.value
    }
  }

  private func list(_ count: Int) -> [Counted] {
    (0..<count).map { Counted(id: CountedID(number: $0)) }
  }

  /// Counts during a comparison of two lists with trusted ids.
  private func counts(
    _ old: [Counted], _ new: [Counted]
  ) -> (ids: Int, hashes: Int, contents: Int) {
    (CountedID.comparisons, CountedID.hashes, Counted.comparisons) = (0, 0, 0)
    _ = old.changes(to: new, ids: .trusted)
    return (CountedID.comparisons, CountedID.hashes, Counted.comparisons)
  }

  @Test func equalListsNeedNoHashAndNoComparisonPerItem() throws {
    let old = list(10_000)
    let copy = old.map { Counted(id: $0.id, value: $0.value) }
    let counts = counts(old, copy)
    #expect(counts.ids == 0 && counts.hashes == 0 && counts.contents == 0)
  }

  @Test(arguments: [1_000, 100_000])
  func costOfAFewChangesIsIndependentOfTheLength(count: Int) throws {
    let old = list(count)
    var new = old
    for edit in 1...10 {
      let place = count * edit / 12
      new[place].value = 1
      new.remove(at: place + 5)
      new.insert(Counted(id: CountedID(number: count + edit)), at: place + 9)
      new.insert(new.remove(at: place + 20), at: place + 23)
    }
    let counts = counts(old, new)
    // 40 edits: some dozen comparisons each, and one hash for an item that is not found nearby.
    #expect(counts.ids < 40 * 40, "\(counts)")
    #expect(counts.hashes < 40 * 4, "\(counts)")
    #expect(counts.contents < 40 * 20, "\(counts)")
  }

  @Test func listsWithNoCommonItemHashEachItemOnce() throws {
    let (old, new) = (list(5_000), list(10_000).suffix(5_000))
    let counts = counts(old, Array(new))
    #expect(counts.hashes <= 10_000)
    #expect(counts.ids < 60_000, "\(counts)")
    #expect(counts.contents == 0)
  }

  @Test func movedBlockIsHashedAtMostOncePerItem() throws {
    let old = list(9_000)
    let new = Array(old[6_000...] + old[..<6_000])
    let counts = counts(old, new)
    #expect(counts.ids < 9_000 * 8, "\(counts)")
    #expect(counts.hashes < 9_000 + 100, "\(counts)")
  }

  @Test(arguments: [1_000, 1_000_000])
  func costOfComposingIsIndependentOfTheLength(count: Int) throws {
    let steps = (0..<16).map { step in
      ChangeSet<Counted>(
        uncheckedOldCount: count, newCount: count,
        removed: [.init(from: step * 3, element: Counted(id: CountedID(number: step)))], moved: [],
        inserted: [.init(to: step * 5, element: Counted(id: CountedID(number: -step - 1)))],
        updated: [])
    }
    (CountedID.comparisons, CountedID.hashes, Counted.comparisons) = (0, 0, 0)
    _ = ChangeSet.composing(steps)
    #expect(CountedID.hashes < 16 * 2 * 4 * 8, "\(CountedID.hashes)")
    #expect(CountedID.comparisons < 16 * 2 * 4 * 8, "\(CountedID.comparisons)")
  }

  /// No list is walked: the longest could not be.
  @Test(arguments: [1_000, 1_000_000, 1 << 60])
  func costOfMergingIsIndependentOfTheLength(count: Int) {
    func changes(_ offset: Int, newID: Int) -> ChangeSet<Counted> {
      func item(_ number: Int, _ value: Int = 0) -> Counted {
        Counted(id: CountedID(number: number), value: value)
      }
      let places = (0..<25).map { $0 * 20 + offset }
      return ChangeSet(
        uncheckedOldCount: count, newCount: count,
        removed: places.map { .init(from: $0, element: item($0)) },
        moved: [.init(from: 501 + offset, to: count - 1 - offset, id: item(501 + offset).id)],
        inserted: (0..<25).map { .init(to: $0 * 20 + offset, element: item(-newID - $0)) },
        updated: places.map {
          .init(from: $0 + 5, to: $0 + 5, old: item($0 + 5), new: item($0 + 5, 1 + offset))
        })
    }
    let mine = changes(0, newID: 1)
    // Theirs makes the same removals and updates and some of the same insertions; then others.
    for theirs in [changes(0, newID: 13), changes(3, newID: 100)] {
      (CountedID.comparisons, CountedID.hashes, Counted.comparisons) = (0, 0, 0)
      let merge = mine.merged(into: theirs)
      let changeCount = mine.count + theirs.count
      #expect(CountedID.hashes <= 2 * changeCount, "\(CountedID.hashes)")
      #expect(CountedID.comparisons <= 4 * changeCount, "\(CountedID.comparisons)")
      #expect(Counted.comparisons <= changeCount, "\(Counted.comparisons)")
      #expect(merge.conflicts.isEmpty)
    }
  }

  @Test(arguments: [16, 1_024])
  func hashesPerComposedChangeAreIndependentOfTheStepCount(stepCount: Int) {
    let steps = (0..<stepCount).map { step in
      ChangeSet<Counted>(
        uncheckedOldCount: 10_000, newCount: 10_000,
        removed: [.init(from: step * 3, element: Counted(id: CountedID(number: step)))], moved: [],
        inserted: [.init(to: step * 5, element: Counted(id: CountedID(number: -step - 1)))],
        updated: [])
    }
    (CountedID.comparisons, CountedID.hashes, Counted.comparisons) = (0, 0, 0)
    _ = ChangeSet.composing(steps)
    // Once each, and again when the dictionary of removed items grows.
    #expect(CountedID.hashes <= stepCount * 2 * 2, "\(CountedID.hashes)")
    #expect(CountedID.comparisons <= stepCount * 2 * 4, "\(CountedID.comparisons)")
  }

  @Test func composingReadsALargeStepOnceAmongManySmallSteps() {
    func update(_ items: [Counted], to value: Int) -> ChangeSet<Counted> {
      ChangeSet(
        uncheckedOldCount: 10_000, newCount: 10_000, removed: [], moved: [], inserted: [],
        updated: items.map { item in
          .init(
            from: item.id.number, to: item.id.number, old: item,
            new: Counted(id: item.id, value: value))
        })
    }
    let large = update(list(10_000), to: 1)
    let small = (0..<500).map { step in
      update([Counted(id: CountedID(number: 17), value: step + 1)], to: step + 2)
    }
    (CountedID.comparisons, CountedID.hashes, Counted.comparisons) = (0, 0, 0)
    let whole = ChangeSet.composing([large] + small)
    #expect(CountedID.hashes == 0 && CountedID.comparisons == 0)
    #expect(Counted.comparisons <= 10_000, "\(Counted.comparisons)")
    #expect(whole?.updated.count == 10_000)
  }
}
