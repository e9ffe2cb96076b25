import ListChanges
import ListChangesTesting

/// The laws of the changes between two lists of sections, and of the stages that show them.
enum SectionLaws {
  static func check(_ old: [PairSection], _ new: [PairSection]) throws {
    let changes = try old.sectionedChanges(to: new)
    try law("applying the changes gives the new sections", old.applying(changes) == new)
    try law("no changes for equal sections only", changes.isEmpty == (old == new))
    try law(
      "the moves are those of the definition",
      changes.moved.map { [$0.from, $0.to] } == movesByDefinition(from: old, to: new))
    try law(
      "all moves are named", changes.moved.allSatisfy { $0.id != nil } && names(changes, fit: old))
    let inverse = changes.inverted()
    try law("the inverse is the way back", inverse == new.sectionedChanges(to: old))
    try law("its names fit", names(inverse, fit: new))
    try law("the inverse of the inverse is the way there", inverse.inverted() == changes)
  }

  /// A view accepts the stages, and shows the new sections after them.
  static func checkStages(_ old: [PairSection], _ new: [PairSection]) throws {
    let stages = try old.sectionedChanges(to: new).stages()
    try law("stages exactly for changes", stages.count <= 4 && stages.isEmpty == (old == new))
    var view = CollectionViewSimulator(showing: old.map(\.items))
    // A header keeps its content like a cell, so the headers are judged as cells of a section.
    var headers = CollectionViewSimulator(showing: old.map(\.header))
    var data = old
    for stage in stages {
      data = try data.applying(stage.changes)
      let batch = CollectionViewBatch(stage)
      try view.performBatchUpdates(batch, showing: data.map(\.items))
      try headers.performBatchUpdates(headerUpdates(of: stage), showing: data.map(\.header))
      try law("the view shows a stage's items", view.displayed == data.map(\.items))
      try law("and its headers", headers.displayed == [data.map(\.header)])
      try law("moved sections are left alone", leavesMovedSectionsAlone(batch))
    }
    try law("the stages end in the new sections", data == new)
  }

  /// Whether every id in a move is that of the item at its start.
  static func names(_ changes: PairChanges, fit old: [PairSection]) -> Bool {
    changes.moved.allSatisfy {
      $0.id == nil || $0.id == old[$0.from.section].items[$0.from.item].id
    }
  }
}

private func headerUpdates(of stage: PairChanges.Stage) -> BatchUpdates {
  BatchUpdates(
    deleted: stage.deletedSections, inserted: stage.insertedSections,
    moved: stage.movedSections.map { IndexMove(from: $0.from, to: $0.to) },
    reloaded: stage.reloadedSections)
}

/// Stages promise more than a view requires: no item operation in a section that moves.
private func leavesMovedSectionsAlone(_ batch: CollectionViewBatch) -> Bool {
  let from = Set(batch.movedSections.map(\.from))
  let to = Set(batch.movedSections.map(\.to))
  return from.isDisjoint(
    with: (batch.deleted + batch.reloaded + batch.moved.map(\.from)).map(\.section))
    && to.isDisjoint(with: (batch.inserted + batch.moved.map(\.to)).map(\.section))
}

/// The moves by the documentation's definition: in each section those of a flat list, and every
/// item that changes its section.
private func movesByDefinition(from old: [PairSection], to new: [PairSection]) -> [[ItemPath]] {
  var moves: [[ItemPath]] = []
  for (from, section) in old.enumerated() {
    for (to, other) in new.enumerated() {
      if section.header.id == other.header.id {
        moves += movesByDefinition(from: section.items, to: other.items).map {
          [ItemPath(section: from, item: $0[0]), ItemPath(section: to, item: $0[1])]
        }
      } else {
        for (index, item) in section.items.enumerated() {
          guard let place = other.items.firstIndex(where: { $0.id == item.id }) else { continue }
          moves.append([ItemPath(section: from, item: index), ItemPath(section: to, item: place)])
        }
      }
    }
  }
  return moves.sorted { $0[0] < $1[0] }
}
