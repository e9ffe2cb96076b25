import ListChanges

/// The laws of the changes between two lists of sections.
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

  /// Whether every id in a move is that of the item at its start.
  static func names(_ changes: PairChanges, fit old: [PairSection]) -> Bool {
    changes.moved.allSatisfy {
      $0.id == nil || $0.id == old[$0.from.section].items[$0.from.item].id
    }
  }
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
