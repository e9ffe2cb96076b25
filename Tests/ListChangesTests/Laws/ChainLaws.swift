import ListChangesTesting

@testable import ListChanges

/// The laws of composition, for a chain of lists of any length.
enum ChainLaws {
  /// - Parameters:
  ///   - lists: two or more.
  ///   - cut: where the chain is split to compose the parts.
  static func check(_ lists: [[Pair]], cut: Int) throws {
    let steps = try steps(of: lists)
    let (first, last) = (lists[0], lists[lists.count - 1])
    try check(steps, direct: first.changes(to: last), first: first, last: last, cut: cut)
    try checkReplay(lists, steps)
  }

  /// - Parameters:
  ///   - steps: one or more.
  ///   - direct: the changes from the first list to the last.
  static func check(
    _ steps: [ChangeSet<Pair>], direct: ChangeSet<Pair>, first: [Pair], last: [Pair], cut: Int
  ) throws {
    let folded = steps.dropFirst().reduce(steps[0]) { $0.composed(with: $1) }
    try law("composing in pairs is the direct diff", folded == direct)
    try law("the names fit", folded.moved.allSatisfy { $0.id == nil || $0.id == first[$0.from].id })
    try law(
      "every move can be named",
      folded.namingMoves { first[$0].id }.moved.allSatisfy { $0.id == first[$0.from].id })
    let whole = ChangeSet.composing(steps)
    try law("composing all at once is the direct diff", whole == direct)
    try law(
      "its names fit",
      whole?.moved.allSatisfy { $0.id == nil || $0.id == first[$0.from].id } == true)
    var composer = StepComposer<Pair>(oldCount: first.count, nodeCapacity: 5)
    for step in steps { composer.append(step) }
    try law("so is composing with small nodes", composer.changeSet() == direct)
    try law("the composition leads to the last list", first.applying(folded) == last)
    let parts = [steps[..<cut], steps[cut...]].compactMap { ChangeSet.composing($0) }
    try law("composing the compositions of parts is the same", ChangeSet.composing(parts) == direct)
    let back = steps.reversed().map { $0.inverted() }
    try law(
      "the inverses backwards are the inverse", ChangeSet.composing(back) == direct.inverted())
  }

  static func checkReplay(_ lists: [[Pair]], _ steps: [ChangeSet<Pair>]) throws {
    var replayed = ReplayedList(lists[0], nodeCapacity: 5)
    for (number, step) in steps.enumerated() {
      try replayed.apply(step)
      try law("replaying step \(number) gives its list", replayed.elements == lists[number + 1])
    }
  }

  /// Composed index updates turn a view of the first list into the last.
  static func checkIndexUpdates(_ lists: [[Pair]], _ steps: [ChangeSet<Pair>]) throws {
    let updates = steps.map { $0.indexUpdate() }
    let composed = updates.dropFirst().reduce(updates[0]) { $0.composed(with: $1) }
    var view = CollectionViewSimulator(showing: lists[0])
    let last = lists[lists.count - 1]
    try view.performBatchUpdates(composed.batchUpdates, showing: last)
    try law("composed index updates show the last list", view.displayed == [last])
    let back = updates.reversed().map(\.inverse)
    let composedBack = back.dropFirst().reduce(back[0]) { $0.composed(with: $1) }
    try law("their inverse is that of each, backwards", composed.inverse == composedBack)
  }
}
