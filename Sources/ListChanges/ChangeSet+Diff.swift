/// Says that no id stands twice in a list (a database key, a dictionary's keys), so that a
/// comparison does not look for such ids, and cannot fail. Where an id does stand twice, the change
/// set still leads from the one list to the other, but need not be the canonical one.
public enum TrustedIDs: Sendable { case trusted }

extension Collection where Element: Identifiable & Equatable, Element.ID: Sendable {
  /// Compares this list with a newer one.
  ///
  /// The result is canonical: its moves are the fewest possible (all matched items less a longest
  /// chain that keeps its order) and, of the equally few, always the same ones.
  ///
  /// - Parameter isCancelled: asked every few thousand steps, for instance `{ Task.isCancelled }`.
  /// - Throws: `ListChangesError.duplicateID` when a list holds an id twice, `.cancelled` when
  ///   `isCancelled` said so.
  /// - Complexity: O(n + m) comparisons and hashes for lists of n and m items, and O(r log r) steps
  ///   for r runs that cross each other.
  @inlinable
  public func changes(
    to new: some Collection<Element>, isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<Element.ID>) -> ChangeSet<Element> {
    try ChangeSet.checked(Array(self), Array(new), isCancelled) { $0 }
  }
}

extension Collection where Element: Identifiable & Equatable {
  /// Compares lists whose ids are not `Sendable`, such as `AnyHashable`. An error may leave its
  /// task and such an id may not, so the error holds the id's description. All else is as in
  /// ``Swift/Collection/changes(to:isCancelled:)``.
  @inlinable
  public func changes(
    to new: some Collection<Element>, isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<String>) -> ChangeSet<Element> {
    try ChangeSet.checked(Array(self), Array(new), isCancelled) { String(describing: $0) }
  }

  /// Compares this list with a newer one, with ids that are known to be unique in each.
  ///
  /// - Complexity: that of ``Swift/Collection/changes(to:isCancelled:)``, but only what was removed,
  ///   inserted or moved far is hashed: nothing where the lists are equal.
  @inlinable
  public func changes(
    to new: some Collection<Element>, ids: TrustedIDs
  ) -> ChangeSet<Element> {
    guard let changes = changes(to: new, ids: ids, isCancelled: { false }) else {
      preconditionFailure("nothing cancels the comparison")
    }
    return changes
  }

  /// The same for large lists; nil when `isCancelled` said so.
  @inlinable
  public func changes(
    to new: some Collection<Element>, ids: TrustedIDs, isCancelled: () -> Bool
  ) -> ChangeSet<Element>? {
    ChangeSet.between(Array(self), Array(new), isCancelled: isCancelled)
  }
}

extension ChangeSet {
  /// - Parameter naming: what an error calls an id.
  @inlinable
  static func checked<Name>(
    _ old: [Element], _ new: [Element], _ isCancelled: () -> Bool,
    naming: (Element.ID) -> Name
  ) throws(ListChangesError<Name>) -> ChangeSet {
    try refuseDuplicates(in: old, side: .old, naming: naming)
    try refuseDuplicates(in: new, side: .new, naming: naming)
    guard let changes = between(old, new, isCancelled: isCancelled) else { throw .cancelled }
    return changes
  }

  /// - Parameter usesBits: false for the slow path that compares by `==` alone.
  /// - Returns: nil when the comparison was cancelled.
  @inlinable
  static func between(
    _ old: [Element], _ new: [Element], usesBits: Bool = true, isCancelled: () -> Bool
  ) -> ChangeSet? {
    old.withUnsafeBufferPointer { oldBits in
      new.withUnsafeBufferPointer { newBits in
        var matcher = Matcher(
          old: old, new: new,
          bits: BitComparison(old: oldBits, new: newBits, isOff: !usesBits))
        return matcher.changeSet(isCancelled: isCancelled)
      }
    }
  }

  @inlinable
  static func refuseDuplicates<Name>(
    in list: [Element], side: ListChangesError<Name>.Side, naming: (Element.ID) -> Name
  ) throws(ListChangesError<Name>) {
    var table = IDTable<Element.ID>(
      count: list.count, indexCount: list.count, hashing: .fastest)
    if let (first, second) = table.firstDuplicate(count: list.count, id: { list[$0].id }) {
      throw .duplicateID(naming(list[second].id), first: first, second: second, side: side)
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
