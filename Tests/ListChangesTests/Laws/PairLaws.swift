@testable import ListChanges

/// The laws of the changes between two lists: they lead there and back, and are canonical.
struct PairLaws {
  let old: [Pair]
  let new: [Pair]
  let changes: ChangeSet<Pair>

  init(_ old: [Pair], _ new: [Pair]) throws {
    (self.old, self.new) = (old, new)
    changes = try old.changes(to: new)
  }

  static func check(_ old: [Pair], _ new: [Pair]) throws {
    let laws = try PairLaws(old, new)
    try laws.checkWayThere()
    try laws.checkMoves()
    try laws.checkWayBack()
    try laws.checkOtherWays()
  }

  private func checkWayThere() throws {
    try law("the parts keep the rules of change sets", changes.violation == nil)
    try law("applying the changes gives the new list", old.applying(changes) == new)
    try law("no changes for equal lists only", changes.isEmpty == (old == new))
    let matchedCount = old.count - changes.removed.count
    try law("removed, kept and moved are all", matchedCount + changes.inserted.count == new.count)
    let values = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0.value) })
    try law(
      "what is updated has another content, and nothing else has",
      changes.updated.map(\.to)
        == new.indices.filter { (values[new[$0].id] ?? new[$0].value) != new[$0].value })
    try law("inserted is what is new", changes.inserted.allSatisfy { values[$0.element.id] == nil })
  }

  private func checkMoves() throws {
    try law(
      "the moves are those of the definition",
      changes.moved.map { [$0.from, $0.to] } == movesByDefinition(from: old, to: new))
    try law("moves are named", changes.moved.allSatisfy { $0.id == old[$0.from].id })
    let matchedCount = old.count - changes.removed.count
    try law(
      "the moves are the fewest",
      matchedCount - changes.moved.count == mostKept(from: old, to: new))
  }

  private func checkWayBack() throws {
    let inverse = changes.inverted()
    try law("the inverse is the way back", inverse == new.changes(to: old))
    try law("applying the inverse undoes", new.applying(inverse) == old)
    try law("its moves fit", inverse.moved.allSatisfy { $0.id == nil || $0.id == new[$0.from].id })
    try law("the inverse of the inverse is the way there", inverse.inverted() == changes)
  }

  /// The same changes, computed in other ways.
  private func checkOtherWays() throws {
    try law("they are canonical already", changes.canonical() == changes)
    for usesBits in [true, false] {
      let trusted = trustedChanges(from: old, to: new, usesBits: usesBits)
      try law("trusted ids, bits \(usesBits), give the same", trusted == changes)
    }
    let keyed = try old.changes(to: new, id: \.id, content: \.value)
    try law(
      "so do key paths",
      keyed.removed.map(\.from) == changes.removed.map(\.from)
        && keyed.moved.map { [$0.from, $0.to] } == changes.moved.map { [$0.from, $0.to] }
        && keyed.inserted.map(\.to) == changes.inserted.map(\.to)
        && keyed.updated.map { [$0.from, $0.to] } == changes.updated.map { [$0.from, $0.to] })
    let numbered = try old.numberingOccurrences().applying(old.changesNumberingOccurrences(to: new))
    try law("numbered occurrences lead there", numbered.map(\.element) == new)
  }
}

/// The largest number of matched items that can keep their order: for up to seven, by trying every
/// choice; for more, only by the length of a longest increasing subsequence.
func mostKept(from old: [Pair], to new: [Pair]) -> Int {
  let newIndex = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($1.id, $0) })
  let places = old.compactMap { newIndex[$0.id] }
  if places.count <= 7 {
    return (0..<1 << places.count).map { choice in
      let kept = places.indices.filter { choice >> $0 & 1 == 1 }.map { places[$0] }
      return zip(kept, kept.dropFirst()).allSatisfy { $0 < $1 } ? kept.count : 0
    }.max() ?? 0
  }
  // The smallest last position of all ascending choices of each length.
  var leastEnds: [Int] = []
  for place in places {
    if let last = leastEnds.last, last > place {
      leastEnds[leastEnds.partitioningIndex { $0 > place }] = place
    } else {
      leastEnds.append(place)
    }
  }
  return leastEnds.count
}
