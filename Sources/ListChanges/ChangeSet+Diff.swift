/// What a comparison does about ids that occur more than once in a list.
public enum IDUniqueness: Sendable {
  /// They are looked for, and refused: every id is hashed once.
  case checked
  /// They are known not to occur (a database key, a dictionary's keys), and not looked for. Where
  /// they do occur all the same, the change set still leads from the one list to the other, but may
  /// be none that the next comparison gives.
  case trusted
}

extension Collection where Element: Identifiable & Equatable, Element.ID: Sendable {
  /// Compares this list with a newer one.
  ///
  /// The result is canonical: its moves are the fewest possible (all matched items less a longest
  /// chain that keeps its order) and, of the equally few, always the same ones.
  ///
  /// - Parameters:
  ///   - ids: whether ids that occur twice are looked for.
  ///   - isCancelled: asked every few thousand steps, for instance `{ Task.isCancelled }`.
  /// - Throws: `ListChangesError.duplicateID` when a list holds an id twice, `.cancelled` when
  ///   `isCancelled` said so.
  /// - Complexity: O(n + m) comparisons for lists of n and m items, and O(r log r) steps for r
  ///   runs that cross each other. With trusted ids only what was removed, inserted or moved far is
  ///   hashed: nothing where the lists are equal.
  @inlinable
  public func changes(
    to new: some Collection<Element>, ids: IDUniqueness = .checked,
    isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<Element.ID>) -> ChangeSet<Element> {
    try ChangeSet.between(
      Array(self), Array(new), ids: ids, usesBits: true, isCancelled: isCancelled)
  }
}

extension ChangeSet where Element.ID: Sendable {
  /// - Parameter usesBits: false for the slow path that compares by `==` alone.
  @inlinable
  static func between(
    _ old: [Element], _ new: [Element], ids: IDUniqueness, usesBits: Bool,
    isCancelled: () -> Bool
  ) throws(ListChangesError<Element.ID>) -> ChangeSet {
    if ids == .checked {
      try refuseDuplicates(in: old, side: .old)
      try refuseDuplicates(in: new, side: .new)
    }
    return try old.withUnsafeBufferPointer { oldBits throws(ListChangesError<Element.ID>) in
      try new.withUnsafeBufferPointer { newBits throws(ListChangesError<Element.ID>) in
        var matcher = Matcher(
          old: old, new: new,
          bits: BitComparison(old: oldBits, new: newBits, isOff: !usesBits))
        guard let changes = matcher.changeSet(isCancelled: isCancelled) else { throw .cancelled }
        return changes
      }
    }
  }

  @inlinable
  static func refuseDuplicates(
    in list: [Element], side: ListChangesError<Element.ID>.Side
  ) throws(ListChangesError<Element.ID>) {
    var table = IDTable<Element.ID>(
      count: list.count, indexCount: list.count, hashing: .fastest)
    if let (first, second) = table.firstDuplicate(count: list.count, id: { list[$0].id }) {
      throw .duplicateID(list[second].id, first: first, second: second, side: side)
    }
  }
}

extension Matcher {
  @inlinable
  func changeSet() -> ChangeSet<Element> {
    ChangeSet(
      alignment: Alignment(oldCount: old.count, newCount: new.count, joinedRuns: runs),
      removed: removed.map { .init(from: $0, element: old[$0]) },
      inserted: inserted.map { .init(to: $0, element: new[$0]) }, updated: updated
    ) { from, _ in old[from].id }
  }
}
