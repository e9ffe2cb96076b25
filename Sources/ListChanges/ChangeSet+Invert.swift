extension ChangeSet {
  /// The canonical change set of the way back, from the new list to the old one.
  ///
  /// It may move other items: among equally few moves, the canonical choice depends on the
  /// direction.
  ///
  /// - Complexity: O(d log d) for d changes.
  @inlinable
  public func inverted() -> ChangeSet {
    var names: [Int: Element.ID] = [:]
    for move in moved { names[move.to] = move.id }
    for update in updated { names[update.to] = update.new.id }
    return ChangeSet(
      alignment: Alignment(of: self).inverted,
      removed: inserted.map { Removal(from: $0.to, element: $0.element) },
      inserted: removed.map { Insertion(to: $0.from, element: $0.element) },
      updated: updated.map { Update(from: $0.to, to: $0.from, old: $0.new, new: $0.old) }
        .sorted { $0.to < $1.to }
    ) { from, _ in names[from] }
  }
}
