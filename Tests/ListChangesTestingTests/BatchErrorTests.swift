import Foundation
import ListChanges
import ListChangesTesting
import Testing

/// Every batch that a view refuses, on the sections `abc`, `de` and `f`, and why.
@Suite struct BatchErrorTests {
  struct Refusal: CustomStringConvertible, Sendable {
    let error: BatchError
    /// The numbers of items that the data source holds.
    var after = [3, 2, 1]
    let build: @Sendable (inout CollectionViewBatch) -> Void

    var description: String { "\(error)" }
  }

  @Test(arguments: outOfRange + usedTwice + reloads + insideSections + counts)
  func invalidBatchIsRefusedByName(refusal: Refusal) {
    let before = ["abc", "de", "f"].map(cells)
    var view = CollectionViewSimulator(showing: before)
    var batch = CollectionViewBatch()
    refusal.build(&batch)
    let after = refusal.after.map { cells(String("uvwxyz".prefix($0))) }
    #expect(throws: refusal.error) { try view.performBatchUpdates(batch, showing: after) }
    #expect(view.displayed == before)
  }

  /// The same by the calls of a view.
  @MainActor @Test(arguments: outOfRange + usedTwice + reloads + insideSections + counts)
  func viewThatGetsAnInvalidBatchThrowsItsError(refusal: Refusal) {
    let view = SimulatedView(showing: cells("abc"), cells("de"), cells("f"))
    var batch = CollectionViewBatch()
    refusal.build(&batch)
    view.performBatchUpdates(
      {
        view.data = refusal.after.enumerated().map { section, count in
          ListSection(view.data[section % 3].header, items: cells(String("uvwxyz".prefix(count))))
        }
        for section in batch.deletedSections { view.deleteSections([section]) }
        for section in batch.insertedSections { view.insertSections([section]) }
        for section in batch.reloadedSections { view.reloadSections([section]) }
        for move in batch.movedSections { view.moveSection(move.from, toSection: move.to) }
        view.deleteItems(at: batch.deleted.map { [$0.section, $0.item] })
        view.insertItems(at: batch.inserted.map { [$0.section, $0.item] })
        view.reloadItems(at: batch.reloaded.map { [$0.section, $0.item] })
        for move in batch.moved {
          view.moveItem(
            at: [move.from.section, move.from.item], to: [move.to.section, move.to.item])
        }
      }, completion: nil)
    #expect(throws: refusal.error) { try view.displayed }
    #expect(view.batches.isEmpty)
  }

  private typealias Path = CollectionViewBatch.Path

  private static func path(_ section: Int, _ item: Int) -> Path {
    Path(section: section, item: item)
  }

  private static func item(_ section: Int, _ item: Int) -> BatchError.Place {
    .item(path(section, item))
  }

  private static let outOfRange: [Refusal] = [
    Refusal(error: .outOfRange(.delete, item(0, 3))) { $0.deleted = [path(0, 3)] },
    Refusal(error: .outOfRange(.delete, item(3, 0))) { $0.deleted = [path(3, 0)] },
    Refusal(error: .outOfRange(.reload, item(1, -1))) { $0.reloaded = [path(1, -1)] },
    Refusal(error: .outOfRange(.insert, item(1, 2))) { $0.inserted = [path(1, 2)] },
    Refusal(error: .outOfRange(.moveFrom, item(2, 1))) {
      $0.moved = [.init(from: path(2, 1), to: path(2, 0))]
    },
    Refusal(error: .outOfRange(.moveTo, item(2, 1))) {
      $0.moved = [.init(from: path(2, 0), to: path(2, 1))]
    },
    Refusal(error: .outOfRange(.delete, .section(3))) { $0.deletedSections = [3] },
    Refusal(error: .outOfRange(.insert, .section(3))) { $0.insertedSections = [3] },
    Refusal(error: .outOfRange(.reload, .section(-1))) { $0.reloadedSections = [-1] },
    Refusal(error: .outOfRange(.moveFrom, .section(4))) {
      $0.movedSections = [.init(from: 4, to: 0)]
    },
    Refusal(error: .outOfRange(.moveTo, .section(4))) {
      $0.movedSections = [.init(from: 0, to: 4)]
    },
  ]

  private static let usedTwice: [Refusal] = [
    Refusal(error: .usedTwice(item(0, 1), .delete, .delete)) {
      $0.deleted = [path(0, 1), path(0, 1)]
    },
    Refusal(error: .usedTwice(item(0, 1), .delete, .moveFrom)) {
      $0.deleted = [path(0, 1)]
      $0.moved = [.init(from: path(0, 1), to: path(0, 0))]
    },
    Refusal(error: .usedTwice(item(0, 0), .insert, .moveTo)) {
      $0.inserted = [path(0, 0)]
      $0.moved = [.init(from: path(0, 1), to: path(0, 0))]
    },
    Refusal(error: .usedTwice(item(1, 0), .insert, .insert)) {
      $0.inserted = [path(1, 0), path(1, 0)]
    },
    Refusal(error: .usedTwice(item(0, 0), .moveTo, .moveTo)) {
      $0.moved = [
        .init(from: path(0, 1), to: path(0, 0)), .init(from: path(0, 2), to: path(0, 0)),
      ]
    },
    Refusal(error: .usedTwice(item(0, 1), .moveFrom, .moveFrom)) {
      $0.moved = [
        .init(from: path(0, 1), to: path(0, 0)), .init(from: path(0, 1), to: path(0, 2)),
      ]
    },
    Refusal(error: .usedTwice(.section(0), .delete, .delete)) { $0.deletedSections = [0, 0] },
    Refusal(error: .usedTwice(.section(1), .delete, .moveFrom)) {
      $0.deletedSections = [1]
      $0.movedSections = [.init(from: 1, to: 0)]
    },
    Refusal(error: .usedTwice(.section(1), .insert, .moveTo)) {
      $0.insertedSections = [1]
      $0.movedSections = [.init(from: 0, to: 1)]
    },
    Refusal(error: .usedTwice(.section(0), .insert, .insert)) { $0.insertedSections = [0, 0] },
  ]

  private static let reloads: [Refusal] = [
    Refusal(error: .reloadMeets(.delete, item(0, 1)), after: [2, 2, 1]) {
      $0.deleted = [path(0, 1)]
      $0.reloaded = [path(0, 1)]
    },
    Refusal(error: .reloadMeets(.moveFrom, item(0, 1))) {
      $0.moved = [.init(from: path(0, 1), to: path(0, 0))]
      $0.reloaded = [path(0, 1)]
    },
    Refusal(error: .reloadMeets(.reload, item(0, 1))) { $0.reloaded = [path(0, 1), path(0, 1)] },
    Refusal(error: .reloadMeets(.delete, .section(1))) {
      $0.deletedSections = [1]
      $0.reloadedSections = [1]
    },
    Refusal(error: .reloadMeets(.moveFrom, .section(1))) {
      $0.movedSections = [.init(from: 1, to: 0)]
      $0.reloadedSections = [1]
    },
    Refusal(error: .reloadMeets(.reload, .section(1))) { $0.reloadedSections = [1, 1] },
  ]

  private static let insideSections: [Refusal] = [
    Refusal(error: .insideSection(that: .delete, .delete, item(1, 0)), after: [3, 1]) {
      $0.deletedSections = [1]
      $0.deleted = [path(1, 0)]
    },
    Refusal(error: .insideSection(that: .delete, .moveFrom, item(1, 0)), after: [4, 1]) {
      $0.deletedSections = [1]
      $0.moved = [.init(from: path(1, 0), to: path(0, 0))]
    },
    Refusal(error: .insideSection(that: .insert, .insert, item(0, 0)), after: [1, 3, 2, 1]) {
      $0.insertedSections = [0]
      $0.inserted = [path(0, 0)]
    },
    Refusal(error: .insideSection(that: .insert, .moveTo, item(0, 0)), after: [1, 3, 1, 1]) {
      $0.insertedSections = [0]
      $0.moved = [.init(from: path(1, 0), to: path(0, 0))]
    },
    Refusal(error: .insideSection(that: .reload, .reload, item(1, 0))) {
      $0.reloadedSections = [1]
      $0.reloaded = [path(1, 0)]
    },
    // The reloaded section is the second before the batch and the first after it.
    Refusal(error: .insideSection(that: .reload, .insert, item(0, 0)), after: [3, 1]) {
      $0.deletedSections = [0]
      $0.reloadedSections = [1]
      $0.inserted = [path(0, 0)]
    },
    Refusal(error: .insideSection(that: .reload, .moveTo, item(0, 0)), after: [2, 1]) {
      $0.deletedSections = [0]
      $0.reloadedSections = [1]
      $0.moved = [.init(from: path(2, 0), to: path(0, 0))]
    },
  ]

  private static let counts: [Refusal] = [
    Refusal(error: .itemCount(section: 1, expected: 2, found: 1), after: [3, 1, 1]) { _ in },
    Refusal(error: .itemCount(section: 0, expected: 2, found: 3)) { $0.deleted = [path(0, 0)] },
    Refusal(error: .itemCount(section: 0, expected: 4, found: 3)) { $0.inserted = [path(0, 0)] },
    Refusal(error: .itemCount(section: 0, expected: 2, found: 3), after: [3, 2, 2]) {
      $0.moved = [.init(from: path(0, 0), to: path(2, 0))]
    },
    // Sections that change places without a word: the counts betray them.
    Refusal(error: .itemCount(section: 0, expected: 3, found: 2), after: [2, 3, 1]) { _ in },
    Refusal(error: .sectionCount(expected: 3, found: 2), after: [3, 2]) { _ in },
    Refusal(error: .sectionCount(expected: 2, found: 3)) { $0.deletedSections = [0] },
    Refusal(error: .sectionCount(expected: 4, found: 3)) { $0.insertedSections = [0] },
  ]
}
