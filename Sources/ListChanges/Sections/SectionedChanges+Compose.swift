extension SectionedChanges {
  /// The changes of the way back, from the new list to the old one; they are those that comparing
  /// the two gives.
  ///
  /// - Complexity: O(d log d) for d changes, the items of sections that move included.
  public func inverted() -> SectionedChanges {
    let old = SectionBounds(itemCounts: oldItemCounts)
    let names = Dictionary(
      moved.compactMap { move in move.id.map { (old.index(of: move.from), $0) } },
      uniquingKeysWith: { first, _ in first })
    return SectionedChanges(
      sections: sections.inverted(), items: flat.inverted(), oldItemCounts: newItemCounts,
      newItemCounts: oldItemCounts
    ) { _, from in names[from] }
  }

  /// Makes the changes from A to C out of these, from A to B, and the next, from B to C; they are
  /// those that comparing A with C gives, and no list is needed.
  ///
  /// - Precondition: The next changes start from the list that these end in, of which the numbers
  ///   of sections and items are checked.
  /// - Complexity: O(d log d) for the d changes of both, the items of sections that move included.
  public func composed(with next: SectionedChanges) -> SectionedChanges {
    precondition(
      newItemCounts == next.oldItemCounts, "the next changes start from another list")
    let old = SectionBounds(itemCounts: oldItemCounts)
    let new = SectionBounds(itemCounts: next.newItemCounts)
    var names: [Int: Item.ID] = [:]
    for move in moved { names[old.index(of: move.from)] = move.id }
    var laterNames: [Int: Item.ID] = [:]
    for move in next.moved { laterNames[new.index(of: move.to)] = move.id }
    return SectionedChanges(
      sections: sections.composed(with: next.sections), items: flat.composed(with: next.flat),
      oldItemCounts: oldItemCounts, newItemCounts: next.newItemCounts
    ) { from, to in names[from] ?? laterNames[to] }
  }
}
