import ListChanges

extension Checksum {
  /// The checksum of the list that a step leads to, from this one of the list it starts from.
  ///
  /// A term depends on an item and the id before it, so that of the items that are in both lists
  /// only those whose neighbour is another, or whose content is, have another term.
  ///
  /// - Parameter oldItem: the item at an index of the old list; asked for O(d) items.
  /// - Complexity: O(d log d) for d changes, and a SHA-256 for each term that goes or comes.
  package func advanced(
    by step: ChangeSet<Item>, oldItem: (_ index: Int) throws -> Item
  ) rethrows -> Checksum {
    let runs = step.matchedRuns
    let inserted = Dictionary(uniqueKeysWithValues: step.inserted.map { ($0.to, $0.element) })
    let updated = Dictionary(uniqueKeysWithValues: step.updated.map { ($0.to, $0.new) })
    func newItem(_ index: Int) throws -> Item {
      if let item = inserted[index] ?? updated[index] { return item }
      guard let old = runs.oldIndex(ofNew: index) else {
        preconditionFailure("an item of the new list is old or inserted")
      }
      return try oldItem(old)
    }
    var checksum = self
    let went = Set(step.removed.map(\.from) + runs.map(\.old) + step.updated.map(\.from))
    for index in went {
      let before = index > 0 ? try oldItem(index - 1).id : nil
      checksum.subtract(Self.term(of: try oldItem(index), after: before))
    }
    let came = Set(step.inserted.map(\.to) + runs.map(\.new) + step.updated.map(\.to))
    for index in came {
      let before = index > 0 ? try newItem(index - 1).id : nil
      checksum.add(Self.term(of: try newItem(index), after: before))
    }
    return checksum
  }
}

extension ChangeSet {
  /// Whether the new list's checksum is sooner brought forward by the changes than made anew.
  package var isSmall: Bool { count * 8 < newCount }
}
