extension Collection where Element: Identifiable & Equatable, Element.ID: Sendable {
  /// Compares this list with a newer one.
  ///
  /// The result is canonical: its moves are the fewest possible (all matched items less a longest
  /// chain that keeps its order) and, of the equally few, always the same ones.
  ///
  /// - Throws: `ListChangesError.duplicateID` when either list holds an id twice.
  /// - Complexity: O(n + m) hashes and comparisons of ids and contents for lists of n and m items,
  ///   and O(r log r) steps for the r runs that the lists have in common.
  public func changes(
    to new: some Collection<Element>
  ) throws(ListChangesError<Element.ID>) -> ChangeSet<Element> {
    try Comparison(old: Array(self), new: Array(new)).changeSet()
  }
}

/// Two lists while they are compared.
private struct Comparison<Element: Identifiable & Equatable> where Element.ID: Sendable {
  let old: [Element]
  let new: [Element]

  func changeSet() throws(ListChangesError<Element.ID>) -> ChangeSet<Element> {
    let oldIndexes = try indexes(of: old, side: .old)
    // Looking for duplicates apart from matching costs a second hashing and keeps both plain.
    _ = try indexes(of: new, side: .new)
    var isMatched = Array(repeating: false, count: old.count)
    var runs: [Alignment.Run] = []
    var inserted: [ChangeSet<Element>.Insertion] = []
    var updated: [ChangeSet<Element>.Update] = []
    for (to, element) in new.enumerated() {
      guard let from = oldIndexes[element.id] else {
        inserted.append(.init(to: to, element: element))
        continue
      }
      isMatched[from] = true
      Alignment.append(Alignment.Run(old: from, new: to, count: 1), to: &runs)
      if old[from] != element {
        updated.append(.init(from: from, to: to, old: old[from], new: element))
      }
    }
    let removed = old.indices.lazy.filter { !isMatched[$0] }
      .map { ChangeSet<Element>.Removal(from: $0, element: old[$0]) }
    return ChangeSet(
      alignment: Alignment(oldCount: old.count, newCount: new.count, pieces: runs),
      removed: Array(removed), inserted: inserted, updated: updated
    ) { from, _ in old[from].id }
  }

  private func indexes(
    of list: [Element], side: ListChangesError<Element.ID>.Side
  ) throws(ListChangesError<Element.ID>) -> [Element.ID: Int] {
    var indexes: [Element.ID: Int] = [:]
    indexes.reserveCapacity(list.count)
    for (index, element) in list.enumerated() {
      if let first = indexes.updateValue(index, forKey: element.id) {
        throw .duplicateID(element.id, first: first, second: index, side: side)
      }
    }
    return indexes
  }
}
