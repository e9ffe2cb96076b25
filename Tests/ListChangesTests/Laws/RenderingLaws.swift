import ListChangesTesting
import TestSupport

@testable import ListChanges

/// The laws of renderings: a simulator or interpreter performs each, and must get from the old list
/// to the new one.
struct RenderingLaws {
  let old: [Pair]
  let new: [Pair]
  private let changes: ChangeSet<Pair>

  init(_ old: [Pair], _ new: [Pair]) throws {
    (self.old, self.new) = (old, new)
    changes = try old.changes(to: new)
  }

  /// Checks of O(n · m) or O(n · d) steps are skipped above this number of steps: the edit script,
  /// the item-by-item tables and rules, and the JSON Patch interpreter, which copies the document
  /// for each operation.
  static let tableLimit = 40_000
  /// Steps on plain arrays are performed up to this number of items moved in memory.
  static let arrayLimit = 50_000_000

  private var fitsTable: Bool { old.count * new.count <= Self.tableLimit }

  static func check(_ old: [Pair], _ new: [Pair]) throws {
    let laws = try RenderingLaws(old, new)
    for choice in MoveChoice.allCases { try laws.checkBatches(choice) }
    try laws.checkIndexUpdate()
    try laws.checkViewUpdate()
    try laws.checkStages()
    try laws.checkSteps()
    try laws.checkLinearSteps()
    try laws.checkJSONPatch()
    try laws.checkCollectionDifference()
    if laws.fitsTable { try laws.checkEditScript() }
  }

  private func checkBatches(_ choice: MoveChoice) throws {
    let one = changes.batchUpdates(moves: choice)
    var view = CollectionViewSimulator(showing: old)
    try view.performBatchUpdates(one, showing: new)
    try law("one batch (\(choice)) shows the new list", view.displayed == [new])
    try law("it is empty for equal lists only", one.isEmpty == (old == new))

    let two = changes.twoBatchUpdates(moves: choice)
    view = CollectionViewSimulator(showing: old)
    try view.performBatchUpdates(two.first, showing: new)
    try law("the first of two (\(choice)) shows the items", view.showsItems(of: [new]))
    try view.performBatchUpdates(two.second, showing: new)
    try law("the second shows the new list", view.displayed == [new])

    view = CollectionViewSimulator(showing: old)
    try view.performBatchUpdates(BatchUpdates(changes.actions(moves: choice)), showing: new)
    try law("actions (\(choice)) show the items", view.showsItems(of: [new]))

    let paths = one.indexPaths(inSection: 1)
    var views = CollectionViewSimulator(showing: [new, old])
    try views.performBatchUpdates(CollectionViewBatch(paths), showing: [new, new])
    try law(
      "index paths (\(choice)) reach the second section alone", views.displayed == [new, new])
  }

  private func checkIndexUpdate() throws {
    let update = changes.indexUpdate()
    var view = CollectionViewSimulator(showing: old)
    try view.performBatchUpdates(update.batchUpdates, showing: new)
    try law("the index update shows the new list", view.displayed == [new])
    try law("it has changes where the lists differ", update.hasChanges == (old != new))
    try law("inverted twice it is itself", update.inverse.inverse == update)
    try view.performBatchUpdates(update.inverse.batchUpdates, showing: old)
    try law("its inverse shows the old list", view.displayed == [old])
    if fitsTable { try law("it is the table's", update == updateByTable(old, new)) }
  }

  private func checkViewUpdate() throws {
    let update = ViewUpdate(update: changes.indexUpdate(), section: 1)
    var view = CollectionViewSimulator(showing: [new, old])
    try view.performBatchUpdates(CollectionViewBatch(update), showing: [new, new])
    try law("the view update shows the new list", view.displayed == [new, new])
    try view.performBatchUpdates(CollectionViewBatch(update.inverse), showing: [new, old])
    try law("its inverse shows the old list", view.displayed == [new, old])
  }

  private func checkStages() throws {
    let staged = changes.stagedChanges()
    var view = CollectionViewSimulator(showing: old)
    for stage in staged.stages {
      let list = staged.list(after: stage, from: old, to: new)
      try view.performBatchUpdates(staged.batch(of: stage), showing: list)
      try law("after \(stage) the view shows its list", view.displayed == [list])
    }
    try law("the stages show the new list", view.displayed == [new])
    let numbered = old.changesNumberingOccurrences(to: new).stagedChanges()
    try law("numbering occurrences of unique ids changes nothing", staged == numbered)
    if fitsTable {
      try law(
        "the staged moves are the rule's",
        staged.moved == stagedMovesByRule(old.map(\.id), new.map(\.id)))
    }
  }

  private func checkSteps() throws {
    let steps = changes.sequentialSteps()
    try law("there are as many steps as changes", steps.count == changes.count)
    try law("every move moves", steps.moves.allSatisfy { $0.from != $0.to })
    guard steps.count * old.count <= Self.arrayLimit else { return }
    var list = old
    steps.apply(to: &list, from: new)
    try law("step by step the list becomes the new one", list == new)
  }

  private func checkLinearSteps() throws {
    let steps = changes.linearSteps()
    try law("linear steps give the new list", result(of: steps, on: old) == new)
    if fitsTable {
      try law(
        "they are the definition's", steps.map(text) == linearStepsByDefinition(from: old, to: new))
    }
  }

  private func checkJSONPatch() throws {
    let patch = changes.jsonPatch()
    try law("one operation for each change", patch.operations.count == changes.count)
    try law("every operation moves", patch.operations.allSatisfy { $0.from != $0.path })
    if patch.operations.count * old.count <= Self.tableLimit {
      let made = try JSONPatchInterpreter.apply(patch.json, to: old.json)
      try law("the patch makes the new array", made == new.json)
    }
    guard patch.operations.count * old.count <= Self.arrayLimit else { return }
    var list = old
    for operation in patch.operations {
      switch operation {
      case .remove(let index): list.remove(at: index)
      case .move(let from, let to): list.insert(list.remove(at: from), at: to)
      case .add(let item, let index): list.insert(item, at: index)
      case .replace(let item, let index): list[index] = item
      }
    }
    try law("its operations make the new list", list == new)
  }

  private func checkCollectionDifference() throws {
    let difference = try changes.collectionDifference(from: old)
    try law("the difference gives the new list", old.applying(difference) == new)
    try law("its inverse gives the old list", new.applying(difference.inverse()) == old)
  }

  private func checkEditScript() throws {
    let script = old.editScript(to: new)
    try law("the edit script gives the new list", old.applying(script) == new)
    try law("it is as short as can be", script.count == distance(old[...], new[...]))
  }
}

/// The fewest deletions, insertions and substitutions, from the complete table.
private func distance(_ old: ArraySlice<Pair>, _ new: ArraySlice<Pair>) -> Int {
  var row = Array(0...new.count)
  for item in old {
    var (left, diagonal) = (row[0] + 1, row[0])
    row[0] = left
    for (column, other) in new.enumerated() {
      left = min(diagonal + (item == other ? 0 : 1), row[column + 1] + 1, left + 1)
      (diagonal, row[column + 1]) = (row[column + 1], left)
    }
  }
  return row[new.count]
}
