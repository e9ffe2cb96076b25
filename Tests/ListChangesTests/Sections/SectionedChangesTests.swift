import TestSupport
import Testing

@testable import ListChanges

@Suite struct SectionedChangesTests {
  @Test func everyKindOfChangeHasItsOldAndNewIndexes() throws {
    let old = sections("a: 1 2 3, b: 4 5, c: 6")
    let new = sections("c=1: 6 4=1, a: 3 1 8, d: 5 9")
    let changes = try old.sectionedChanges(to: new)
    #expect(changes.sections.removed.map(\.from) == [1])
    #expect(changes.sections.moved.map { [$0.from, $0.to] } == [[0, 1]])
    #expect(changes.sections.inserted.map(\.to) == [2])
    #expect(changes.sections.updated.map { [$0.from, $0.to] } == [[2, 0]])
    #expect(changes.removed.map { "\($0.from) \($0.element)" } == ["0.1 2"])
    #expect(
      changes.moved.map { "\($0.from)→\($0.to) \($0.id.map(String.init) ?? "?")" }
        == ["0.0→1.1 1", "1.0→0.1 4", "1.1→2.0 5"])
    #expect(changes.inserted.map { "\($0.to) \($0.element)" } == ["1.2 8", "2.1 9"])
    #expect(changes.updated.map { "\($0.from)→\($0.to) \($0.old) \($0.new)" } == ["1.0→0.1 4 4=1"])
    #expect((changes.oldItemCounts, changes.newItemCounts) == ([3, 2, 1], [2, 3, 2]))
    #expect(changes.count == 11)
  }

  @Test func aSectionThatMovesDoesNotMoveItsItems() throws {
    let changes = try sections("a: 1 2, b: 3").sectionedChanges(to: sections("b: 3, a: 1 2"))
    #expect(changes.count == 1)
    #expect(changes.sections.moved.count == 1)
  }

  @Test(arguments: [ListChangesError<Int>.Side.old, .new])
  func duplicatesAreRefusedWithBothIndexes(side: ListChangesError<Int>.Side) {
    typealias Failure = SectionedChangesError<Int, Int>
    func compare(_ text: String) throws {
      let (twice, once) = (sections(text), sections("a: 1 2, b: 3"))
      _ =
        try side == .old ? twice.sectionedChanges(to: once) : once.sectionedChanges(to: twice)
    }
    let (across, within) = (ItemPath(section: 2, item: 1), ItemPath(section: 0, item: 1))
    #expect(throws: Failure.duplicateItem(2, first: within, second: across, side: side)) {
      try compare("a: 1 2, b:, c: 3 2 4")
    }
    #expect(
      throws: Failure.duplicateItem(
        1, first: .init(section: 0, item: 0), second: within, side: side)
    ) {
      try compare("a: 1 1")
    }
    #expect(throws: Failure.duplicateSection(97, first: 0, second: 2, side: side)) {
      try compare("a: 1, b: 2, a: 3")
    }
  }

  @Test func applyingToADifferentListIsRefused() throws {
    typealias Failure = SectionedChangesError<Int, Int>
    let changes = try sections("a: 1 2, b: 3").sectionedChanges(to: sections("a: 1, c: 3"))
    #expect(throws: Failure.sectionCountMismatch(expected: 2, found: 1)) {
      try sections("a: 1 2").applying(changes)
    }
    #expect(throws: Failure.sectionMismatch(index: 1, expected: 98)) {
      try sections("a: 1 2, d: 3").applying(changes)
    }
    #expect(throws: Failure.itemCountMismatch(section: 0, expected: 2, found: 1)) {
      try sections("a: 1, b: 3 2").applying(changes)
    }
    #expect(throws: Failure.itemMismatch(at: ItemPath(section: 0, item: 1), expected: 2)) {
      try sections("a: 1 4, b: 3").applying(changes)
    }
    #expect(throws: Failure.itemMismatch(at: ItemPath(section: 1, item: 0), expected: 3)) {
      try sections("a: 1 2, b: 4").applying(changes)
    }
  }

  @Test func theLawsHoldForAllSmallLists() throws {
    for old in sectionedListsUpToNames() {
      for new in allSectionedLists() { try checkLaws(old, new) }
    }
  }

  @Test func theLawsHoldForRandomLists() throws {
    var random = SeededRandom.forThisRun()
    for round in 0..<1_500 {
      let limit = [3, 9, 30][round % 3]
      let a = random.sections(limit: limit)
      let b = round % 4 == 0 ? random.sections(limit: limit) : random.edited(a, limit: limit)
      let c = round % 5 == 0 ? random.sections(limit: limit) : random.edited(b, limit: limit)
      let note = "seed \(random.seed), round \(round)"
      try checkLaws(a, b, note)
      let composed = try a.sectionedChanges(to: b).composed(with: b.sectionedChanges(to: c))
      func context() -> Comment { Comment(rawValue: "\(note): \(a) → \(b) → \(c)") }
      #expect(try composed == a.sectionedChanges(to: c), context())
      #expect(SectionLaws.names(composed, fit: a), context())
    }
  }

  private func checkLaws(_ old: [PairSection], _ new: [PairSection], _ note: String = "") throws {
    let broken = broken { try SectionLaws.check(old, new) }
    #expect(broken == nil, "\(note) \(old) → \(new)")
  }
}
