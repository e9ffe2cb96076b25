import Foundation
import TestSupport
import Testing

@testable import ListChanges

@Suite struct MatcherTests {
  /// An element whose bits are not enough for a comparison: ids and contents are texts in memory of
  /// their own.
  private struct Named: Identifiable, Equatable, Sendable {
    let id: String
    let content: String

    init(_ pair: Pair, longIDs: Bool) {
      id = longIDs ? "an id that is longer than a small string \(pair.id)" : "i\(pair.id)"
      content = "a content that is longer than a small string \(pair.value)"
    }
  }

  @Test func bitwiseMatchingGivesTheSameChangesAsPlainMatching() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<1_500 {
      let limit = [5, 40, 300][round % 3]
      let old = random.list(limit: limit)
      let new = round % 4 == 0 ? random.list(limit: limit) : random.edited(old, limit: limit)
      let context = Comment(rawValue: "seed \(random.seed), round \(round)")
      let fast = trustedChanges(from: old, to: new, usesBits: true)
      #expect(fast == trustedChanges(from: old, to: new, usesBits: false), context)
      #expect(try old.applying(fast) == new, context)

      let longIDs = round % 2 == 0
      let (a, b) = (
        old.map { Named($0, longIDs: longIDs) }, new.map { Named($0, longIDs: longIDs) }
      )
      let named = trustedChanges(from: a, to: b, usesBits: true)
      #expect(named == trustedChanges(from: a, to: b, usesBits: false), context)
      #expect(
        named.moved.map { [$0.from, $0.to] } == fast.moved.map { [$0.from, $0.to] }, context)
      #expect(named.updated.map(\.to) == fast.updated.map(\.to), context)
    }
  }

  /// Lists long enough for far lookups, retries and every growth of tables.
  @Test(arguments: [100, 5_000, 20_000])
  func longListsOfAnyShapeHaveTheFewestMoves(count: Int) throws {
    var random = SeededRandom.forThisRun()
    let old = (0..<count).map { Pair(id: $0, value: 0) }
    var shapes: [[Pair]] = [
      old.reversed(), old.shuffled(using: &random), Array(old[1...]) + [old[0]],
      [old[count - 1]] + old.dropLast(), Array(old[(count / 3)...]) + old[..<(count / 3)],
      old.enumerated().filter { $0.offset % 3 != 0 }.map(\.element),
    ]
    var block = old
    block.removeSubrange(count / 5..<count / 3)
    let fresh = (0..<count / 7).map { Pair(id: count + $0, value: 0) }
    block.insert(contentsOf: fresh, at: count / 2)
    block[0..<count / 9].shuffle(using: &random)
    shapes.append(block)
    for (number, new) in shapes.enumerated() {
      let changes = try old.changes(to: new)
      let context = Comment(rawValue: "seed \(random.seed), shape \(number)")
      #expect(changes.violation == nil, context)
      #expect(try old.applying(changes) == new, context)
      #expect(
        changes.moved.map { [$0.from, $0.to] } == movesByDefinition(from: old, to: new), context)
    }
  }

  @Test func reversedMiddleWithUpdatesGivesTheDirectChanges() throws {
    for count in 2...9 {
      for (head, tail) in [(0, 0), (2, 0), (0, 3), (1, 1)] {
        let old = (0..<head + count + tail).map { Pair(id: $0, value: 0) }
        var new = old
        new[head..<head + count].reverse()
        new[head] = Pair(id: new[head].id, value: 1)
        new[head + count / 2] = Pair(id: new[head + count / 2].id, value: 2)
        for usesBits in [true, false] {
          let changes = trustedChanges(from: old, to: new, usesBits: usesBits)
          #expect(changes.violation == nil)
          #expect(try old.applying(changes) == new)
          #expect(
            changes.moved.map { [$0.from, $0.to] } == movesByDefinition(from: old, to: new))
          #expect(changes.updated.map(\.to) == Set([head, head + count / 2]).sorted())
          #expect(changes.moved.allSatisfy { $0.id == old[$0.from].id })
        }
      }
    }
  }

  @Test func equalIDsWithDifferentBytesMatch() throws {
    struct Text: Identifiable, Equatable, Sendable { let id: String }
    // Composed and decomposed letters, and the Kelvin sign, which equals the letter K.
    let old = ["caf\u{E9}", "a", "b", "c", "K"].map(Text.init)
    let new = ["\u{212A}", "x", "b", "y", "cafe\u{301}"].map(Text.init)
    for list in [old, old.reversed()] {
      let changes = try list.changes(to: new)
      #expect(changes.removed.count == 2)
      #expect(changes.inserted.count == 2)
      #expect(changes.updated.isEmpty)
    }
  }

  @Test func aValueThatDoesNotEqualItselfCountsAsUnchanged() throws {
    struct Weighed: Identifiable, Equatable, Sendable {
      let id: Int
      let weight: Double
    }
    let list = (0..<20).map { Weighed(id: $0, weight: .nan) }
    #expect(try list.changes(to: list).isEmpty)
  }

  @Test func elementsWithPaddingOrReferencesAreComparedByValue() throws {
    struct Padded: Identifiable, Equatable, Sendable {
      let id: Int32
      let flag: Bool
      let list: [Int]
    }
    let old = (0..<100).map { Padded(id: Int32($0), flag: $0 % 2 == 0, list: [$0, 1]) }
    let new = (0..<100).map { Padded(id: Int32($0), flag: $0 % 2 == 0, list: [$0, $0 / 99 + 1]) }
    let changes = try old.changes(to: new)
    #expect(changes.updated.map(\.to) == [99])
    #expect(changes.count == 1)
  }

  @Test func cancelledComparisonStopsEarly() {
    let old = (0..<50_000).map { Pair(id: $0, value: 0) }
    let new = old.map { Pair(id: $0.id, value: 1) }
    #expect(throws: ListChangesError<Int>.cancelled) {
      try old.changes(to: new, isCancelled: { true })
    }
    #expect(throws: ListChangesError<Int>.cancelled) {
      try old.changes(to: new.reversed(), isCancelled: { true })
    }
  }

  @Test func trustedListsWithDuplicatesStillGiveApplicableChanges() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<2_000 {
      let old = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        Pair(id: Int.random(in: 0...4, using: &random), value: 0)
      }
      let new = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        Pair(id: Int.random(in: 0...4, using: &random), value: 0)
      }
      let changes = trustedChanges(from: old, to: new, usesBits: round % 2 == 0)
      #expect(changes.violation == nil, "seed \(random.seed): \(old) → \(new)")
      #expect(try old.applying(changes) == new, "seed \(random.seed): \(old) → \(new)")
    }
  }
}
