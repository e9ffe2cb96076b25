extension SectionedChanges {
  /// The changes from the new list to the old one, equal to the result of comparing the two.
  ///
  /// - Complexity: O(d log d) for d changes, including the items of moved sections.
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

  /// Makes the changes from A to C of these, from A to B, and the next, from B to C. They equal the
  /// result of comparing A with C, and need no list.
  ///
  /// - Precondition: The next changes start from the list that these end in; only the numbers of
  ///   sections and items are checked.
  /// - Complexity: O(d log d) for the d changes of both, including the items of moved sections.
  public func composed(with next: SectionedChanges) -> SectionedChanges {
    precondition(newItemCounts == next.oldItemCounts, "the next changes start from another list")
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
