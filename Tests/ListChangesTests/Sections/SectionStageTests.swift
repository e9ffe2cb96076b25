import ListChanges
import TestSupport
import Testing

@Suite struct SectionStageTests {
  @Test func anItemMovesOutOfARemovedSectionAndIntoAnInsertedOne() throws {
    let old = sections("a: 1, b: 2 3 4, c: 5")
    let new = sections("a=1: 1, d: 7 3=1, c: 5 4")
    let stages = try old.sectionedChanges(to: new).stages()
    #expect(
      stages.map(describe) == [
        "insert §1", "move 2.1 to 1.1, move 2.2 to 3.1", "delete §2", "reload §0, reload 1.1",
      ])
    #expect(
      try data(of: stages, from: old) == [
        sections("a: 1, d: 7, b: 2 3 4, c: 5"), sections("a: 1, d: 7 3, b: 2, c: 5 4"),
        sections("a: 1, d: 7 3, c: 5 4"), new,
      ])
  }

  @Test(arguments: [
    ("a: 1, b: 2", "a: 1, b: 2", []),
    ("", "a: 1, b: 2", ["insert §0, insert §1"]),
    ("a: 1, b: 2", "", ["delete §0, delete §1"]),
    ("a: 1, b: 2, c: 3", "c: 3, d: 4, a: 1", ["delete §1, insert §1, move §0 to 2"]),
    ("a: 1 2, b: 3", "b: 3 1, a: 2", ["move §0 to 1", "move 1.0 to 0.1"]),
    ("a: 1 2, b: 3", "a: 2 4, b=1: 3", ["delete 0.0, insert 0.1", "reload §1"]),
    ("a: 1 2 3", "a: 3 1 2=2", ["move 0.2 to 0.0", "reload 0.2"]),
    ("a: 1, b: 2", "b=1: 2=1", ["delete §0", "reload §0"]),
  ])
  func stagesMatchTheExamples(old: String, new: String, stages: [String]) throws {
    #expect(
      try sections(old).sectionedChanges(to: sections(new)).stages().map(describe) == stages)
  }

  private func data(
    of stages: [PairChanges.Stage], from old: [PairSection]
  ) throws -> [[PairSection]] {
    var data = old
    return try stages.map {
      data = try data.applying($0.changes)
      return data
    }
  }
}

/// A view accepts the stages between sectioned lists: all small ones, and random ones.
@MainActor @Suite struct SectionStageCampaign {
  private let campaign = Campaign("section stages")

  @Test func aViewAcceptsTheStagesOfAllSmallLists() throws {
    let (old, new) = (sectionedListsUpToNames(), allSectionedLists())
    #expect((old.count, new.count) == (15, 343))
    try checkAll(old, new)
  }

  @Test func aViewAcceptsTheStagesOfAllSmallListsWithUpdates() throws {
    try checkAll(
      sectionedListsUpToNames(),
      allSectionedLists().map { list in
        list.map { section in
          let isUpdated = section.header.id == 0
          return .init(
            Pair(id: section.header.id, value: isUpdated ? 1 : 0),
            items: section.items.map { Pair(id: $0.id, value: $0.id == 0 ? 0 : 1) })
        }
      })
  }

  @Test func aViewAcceptsTheStagesOfRandomLists() throws {
    var random = campaign.random()
    for round in 0..<campaign.rounds(150, long: 30_000) {
      let limit = [3, 9, 30][round % 3]
      let old = random.sections(limit: limit)
      let new =
        round % 4 == 0 ? random.sections(limit: limit) : random.edited(old, limit: limit)
      try check(old, new, "round \(round):")
    }
  }

  /// The share takes each k-th pair, from a different start with each seed.
  private func checkAll(_ old: [[PairSection]], _ new: [[PairSection]]) throws {
    let stride = campaign.rounds(29, long: 1)
    var random = campaign.random(1)
    for number in Swift.stride(
      from: random.number(0...stride - 1), to: old.count * new.count, by: stride)
    {
      try check(old[number / new.count], new[number % new.count])
    }
  }

  private func check(_ old: [PairSection], _ new: [PairSection], _ place: String = "") throws {
    let broken = broken { try ViewLaws.check(old, new) }
    #expect(broken == nil, "seed \(campaign.seed): \(place) \(old) → \(new)")
  }
}

/// The operations of a stage, in words, sections first.
private func describe(_ stage: PairChanges.Stage) -> String {
  var parts = stage.deletedSections.map { "delete §\($0)" }
  parts += stage.insertedSections.map { "insert §\($0)" }
  parts += stage.movedSections.map { "move §\($0.from) to \($0.to)" }
  parts += stage.reloadedSections.map { "reload §\($0)" }
  parts += stage.deletedItems.map { "delete \($0)" }
  parts += stage.insertedItems.map { "insert \($0)" }
  parts += stage.movedItems.map { "move \($0.from) to \($0.to)" }
  parts += stage.reloadedItems.map { "reload \($0)" }
  return parts.joined(separator: ", ")
}
