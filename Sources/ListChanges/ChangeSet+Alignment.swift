extension ChangeSet {
  /// Makes the canonical change set of a matching: matched items outside of the kept chain move.
  ///
  /// - Parameter identify: the id of a moved item, by its indexes in both lists; nil if not known.
  @inlinable
  init(
    alignment: Alignment, removed: [Removal], inserted: [Insertion], updated: [Update],
    identify: (_ from: Int, _ to: Int) -> Element.ID?
  ) {
    var moved: [Move] = []
    let chain = KeptChain(alignment)
    moved.reserveCapacity(chain.movedCount)
    for position in chain.order where !chain.isKept[position] {
      let run = alignment.runs[position]
      for offset in 0..<run.count {
        let (from, to) = (run.old + offset, run.new + offset)
        moved.append(Move(from: from, to: to, id: identify(from, to)))
      }
    }
    self.init(
      uncheckedOldCount: alignment.oldCount, newCount: alignment.newCount, removed: removed,
      moved: moved, inserted: inserted, updated: updated)
  }

  /// The canonical change set between the same lists; equal to this one if it is canonical.
  ///
  /// - Complexity: O(d log d) for d changes.
  @inlinable
  public func canonical() -> ChangeSet {
    let names = knownIDs
    return ChangeSet(
      alignment: Alignment(of: self), removed: removed, inserted: inserted, updated: updated
    ) { from, _ in names[from] }
  }

  /// The ids of moved and updated items by their index in the old list.
  @inlinable
  var knownIDs: [Int: Element.ID] {
    var names: [Int: Element.ID] = [:]
    for move in moved { names[move.from] = move.id }
    for update in updated { names[update.from] = update.old.id }
    return names
  }

  /// The same change set with every move named.
  ///
  /// - Parameter identify: the id of the item at an index of the old list; called for moves without
  ///   an id.
  @inlinable
  public func namingMoves(
    _ identify: (_ from: Int) throws -> Element.ID
  ) rethrows -> ChangeSet {
    ChangeSet(
      uncheckedOldCount: oldCount, newCount: newCount, removed: removed,
      moved: try moved.map {
        Move(from: $0.from, to: $0.to, id: try $0.id ?? identify($0.from))
      },
      inserted: inserted, updated: updated)
  }
}
