import ListChanges
import Testing

/// The judge of the stages refuses what a collection view refuses, and shows what it shows.
@Suite struct SectionSimulatorTests {
  @Test(arguments: [
    (SectionBatch(deletedSections: [0, 0]), "a: 1, b: 2", "", "an old section is used twice"),
    (SectionBatch(insertedSections: [0, 0]), "", "a:, b:", "a new section is used twice"),
    (SectionBatch(deletedSections: [2]), "a: 1, b: 2", "a: 1", "an old section is out of range"),
    (SectionBatch(insertedSections: [1]), "", "a:", "a new section is out of range"),
    (SectionBatch(deletedSections: [0]), "a: 1", "a: 1", "the sections do not add up"),
    (
      SectionBatch(
        deletedItems: [path(0, 0)], movedItems: [(path(0, 0), path(0, 0))]), "a: 1 2", "a: 1",
      "an old item is used twice"
    ),
    (
      SectionBatch(insertedItems: [path(0, 0), path(0, 0)]), "a:", "a: 1 2",
      "a new item is used twice"
    ),
    (SectionBatch(deletedItems: [path(0, 1)]), "a: 1", "a:", "an old item is out of range"),
    (SectionBatch(insertedItems: [path(0, 1)]), "a:", "a: 1", "a new item is out of range"),
    (
      SectionBatch(deletedSections: [0], deletedItems: [path(0, 0)]), "a: 1", "",
      "an old item is in a section that is deleted, moved or reloaded"
    ),
    (
      SectionBatch(reloadedSections: [0], reloadedItems: [path(0, 0)]), "a: 1", "a: 1=1",
      "an old item is in a section that is deleted, moved or reloaded"
    ),
    (
      SectionBatch(insertedSections: [1], movedItems: [(path(0, 0), path(1, 0))]), "a: 1",
      "a:, b: 1", "a new item is in a section that is inserted or moved"
    ),
    (
      SectionBatch(insertedItems: [path(0, 0)]), "a: 1, b: 2", "a: 2 1, b:",
      "the items of a section do not add up"
    ),
    (SectionBatch(), "a: 1 2", "a: 2 1", "the view shows other cells than the data has"),
  ])
  func aBatchAgainstARuleIsRefused(
    batch: SectionBatch, old: String, new: String, rule: String
  ) {
    var view = SectionSimulator(showing: sections(old))
    #expect(throws: SectionViolation(rule: rule)) {
      try view.perform(batch, data: sections(new))
    }
  }

  @Test func aCellShowsItsOldContentUntilItIsReloaded() throws {
    var view = SectionSimulator(showing: sections("a: 1 2, b: 3"))
    let data = sections("a=1: 2=1, b=1: 1=1 4 3=1")
    let batch = SectionBatch(
      insertedItems: [path(1, 1)], movedItems: [(path(0, 0), path(1, 0))],
      reloadedItems: [path(0, 1)])
    try view.perform(batch, data: data)
    #expect(view.shown == sections("a: 2=1, b: 1 4 3"))
    try view.perform(SectionBatch(reloadedSections: [1]), data: data)
    #expect(view.shown == sections("a: 2=1, b=1: 1=1 4 3=1"))
  }
}

private func path(_ section: Int, _ item: Int) -> ItemPath {
  ItemPath(section: section, item: item)
}
