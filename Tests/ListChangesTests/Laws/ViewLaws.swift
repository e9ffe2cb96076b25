import ListChanges
import ListChangesTesting

/// The laws of a view's `update`: the view accepts every batch and shows the new data, by as few
/// calls as the documentation says.
@MainActor enum ViewLaws {
  /// A list in the second section of two. Ids may repeat.
  static func check(_ old: [Pair], _ new: [Pair]) throws {
    func sections(_ list: [Pair]) -> [ListSection<NoHeader, Pair>] {
      SimulatedView(showing: [Pair(id: 0, value: 0)], list).data
    }
    try check(from: sections(old), to: sections(new), batchLimit: 1) { view, limit, end in
      view.update(
        from: old, to: new, inSection: 1, reloadingAbove: limit,
        setData: { view.data[1].items = $0 }, completion: end)
    }
    try check(from: sections(old), to: sections(new), batchLimit: 1) { view, limit, end in
      view.update(
        from: old, to: new, inSection: 1, with: .automatic, reloadingAbove: limit,
        setData: { view.data[1].items = $0 }, completion: end)
    }
  }

  /// A list of sections. The view shows the data of each stage before the next begins.
  static func check(_ old: [PairSection], _ new: [PairSection]) throws {
    var isBehind = false
    func set(_ data: [PairSection], in view: SimulatedView<Pair, Pair>) {
      isBehind = isBehind || (try? view.displayed) != view.data
      view.data = data
    }
    let batches = try check(from: old, to: new, batchLimit: 4) { view, limit, end in
      view.update(
        from: old, to: new, reloadingAbove: limit, setData: { set($0, in: view) },
        completion: end)
    }
    try check(from: old, to: new, batchLimit: 4) { view, limit, end in
      view.update(
        from: old, to: new, with: .automatic, reloadingAbove: limit,
        setData: { set($0, in: view) }, completion: end)
    }
    try law("the view shows each stage", !isBehind)
    try law("moved sections are left alone", batches.allSatisfy(leavesMovedSectionsAlone))
  }

  /// - Returns: the batches of the update.
  @discardableResult private static func check<Header, Item>(
    from old: [ListSection<Header, Item>], to new: [ListSection<Header, Item>], batchLimit: Int,
    update: (SimulatedView<Header, Item>, _ limit: Int, _ end: @escaping (Bool) -> Void) -> Void
  ) throws -> [CollectionViewBatch] {
    func updated(limit: Int, isInWindow: Bool = true) throws -> SimulatedView<Header, Item> {
      let view = SimulatedView(showing: old)
      view.isInWindow = isInWindow
      var ends: [Bool] = []
      update(view, limit) { ends.append($0) }
      try law("the view shows the new data", view.displayed == new && view.data == new)
      try law("the update ends once", ends == [true])
      return view
    }
    let view = try updated(limit: .max)
    try law("no batch for equal data only", view.batches.isEmpty == (old == new))
    try law("few batches", view.batches.count <= batchLimit)
    try law("no batch is empty", view.batches.allSatisfy { $0.count > 0 })
    let count = view.batches.reduce(0) { $0 + $1.count }
    try law("nothing is reloaded", view.reloadCount == 0)
    try law("as many operations are allowed", updated(limit: count).batches == view.batches)
    if old == new { return [] }
    for view in try [updated(limit: count - 1), updated(limit: count, isInWindow: false)] {
      try law("one more, or no window, reloads", view.batches.isEmpty && view.reloadCount == 1)
    }
    return view.batches
  }
}

/// Stages promise more than a view requires: no item operation in a section that moves.
private func leavesMovedSectionsAlone(_ batch: CollectionViewBatch) -> Bool {
  let from = Set(batch.movedSections.map(\.from))
  let to = Set(batch.movedSections.map(\.to))
  return from.isDisjoint(
    with: (batch.deleted + batch.reloaded + batch.moved.map(\.from)).map(\.section))
    && to.isDisjoint(with: (batch.inserted + batch.moved.map(\.to)).map(\.section))
}
