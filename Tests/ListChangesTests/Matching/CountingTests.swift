import Testing

@testable import ListChanges

/// Complexity by counting: how often ids and contents are compared and hashed.
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

  /// Counts while two lists are compared with trusted ids.
  private func counts(
    _ old: [Counted], _ new: [Counted]
  ) throws -> (ids: Int, hashes: Int, contents: Int) {
    (CountedID.comparisons, CountedID.hashes, Counted.comparisons) = (0, 0, 0)
    _ = try old.changes(to: new, ids: .trusted)
    return (CountedID.comparisons, CountedID.hashes, Counted.comparisons)
  }

  @Test func equalListsAreNeitherHashedNorComparedItemByItem() throws {
    let old = list(10_000)
    let copy = old.map { Counted(id: $0.id, value: $0.value) }
    let counts = try counts(old, copy)
    #expect(counts.ids == 0 && counts.hashes == 0 && counts.contents == 0)
  }

  @Test(arguments: [1_000, 100_000])
  func fewChangesCostTheirNumberWhateverTheLength(count: Int) throws {
    let old = list(count)
    var new = old
    for edit in 1...10 {
      let place = count * edit / 12
      new[place].value = 1
      new.remove(at: place + 5)
      new.insert(Counted(id: CountedID(number: count + edit)), at: place + 9)
      new.insert(new.remove(at: place + 20), at: place + 23)
    }
    let counts = try counts(old, new)
    // 40 edits: some dozen comparisons each, and one hash for what is not found near.
    #expect(counts.ids < 40 * 40, "\(counts)")
    #expect(counts.hashes < 40 * 4, "\(counts)")
    #expect(counts.contents < 40 * 20, "\(counts)")
  }

  @Test func nothingInCommonIsHashedOnceEach() throws {
    let (old, new) = (list(5_000), list(10_000).suffix(5_000))
    let counts = try counts(old, Array(new))
    #expect(counts.hashes <= 10_000)
    #expect(counts.ids < 60_000, "\(counts)")
    #expect(counts.contents == 0)
  }

  @Test func aMovedBlockIsHashedOnceNotItemByItem() throws {
    let old = list(9_000)
    let new = Array(old[6_000...] + old[..<6_000])
    let counts = try counts(old, new)
    #expect(counts.ids < 9_000 * 8, "\(counts)")
    #expect(counts.hashes < 9_000 + 100, "\(counts)")
  }

  @Test(arguments: [1_000, 1_000_000])
  func composingCostsTheChangesWhateverTheLength(count: Int) throws {
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
}
