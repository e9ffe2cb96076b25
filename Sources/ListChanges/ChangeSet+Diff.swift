/// States that the ids of each list are unique (a database key, a dictionary's keys). The
/// comparison then does not look for duplicates and cannot fail. If an id does occur twice, the
/// change set still leads from the one list to the other, but may not be canonical.
public enum TrustedIDs: Sendable { case trusted }

extension Collection where Element: Identifiable & Equatable, Element.ID: Sendable {
  /// Compares this list with a newer one.
  ///
  /// The result is canonical: its moves are the fewest possible (the matched items outside of a
  /// longest chain that keeps its order), and the choice among equally few is fixed. `isCancelled`,
  /// such as `{ Task.isCancelled }`, is called every few thousand steps while items are paired.
  /// Hashing ids, and the choice of moves, can take half of the time and are not interrupted.
  ///
  /// - Throws: `ListChangesError.duplicateID` when a list holds an id twice, `.cancelled` when
  ///   `isCancelled` returned true.
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
  /// Like `changes(to:isCancelled:)`, for ids that are not `Sendable`, such as
  /// `AnyHashable`: the error, which must be `Sendable`, holds the id's description.
  @inlinable
  public func changes(
    to new: some Collection<Element>, isCancelled: () -> Bool = { false }
  ) throws(ListChangesError<String>) -> ChangeSet<Element> {
    try ChangeSet.checked(Array(self), Array(new), isCancelled) { String(describing: $0) }
  }

  /// Compares this list with a newer one; the ids are known to be unique in each.
  ///
  /// - Complexity: As `changes(to:isCancelled:)`, but only removed, inserted and
  ///   far moved items are hashed: none where the lists are equal.
  @inlinable
  public func changes(
    to new: some Collection<Element>, ids: TrustedIDs
  ) -> ChangeSet<Element> {
    guard let changes = changes(to: new, ids: ids, isCancelled: { false }) else {
      preconditionFailure("nothing cancels the comparison")
    }
    return changes
  }

  /// The same for large lists; nil when `isCancelled` returned true.
  @inlinable
  public func changes(
    to new: some Collection<Element>, ids: TrustedIDs, isCancelled: () -> Bool
  ) -> ChangeSet<Element>? {
    ChangeSet.between(Array(self), Array(new), isCancelled: isCancelled)
  }
}

extension ChangeSet {
  /// - Parameter naming: the name of an id in an error.
  @inlinable
  static func checked<Name>(
    _ old: [Element], _ new: [Element], _ isCancelled: () -> Bool,
    naming: (Element.ID) -> Name
  ) throws(ListChangesError<Name>) -> ChangeSet {
    guard let changes = between(old, new, isCancelled: isCancelled) else { throw .cancelled }
    if !changes.hasUniqueIDs(new) {
      try refuseDuplicates(in: old, side: .old, naming: naming)
      try refuseDuplicates(in: new, side: .new, naming: naming)
    }
    return changes
  }

  /// Whether no list of a comparison, which trusted that ids are unique, has an id twice.
  ///
  /// An old item is either removed, or matched with a new one that has its id. So an id that is
  /// twice in the old list is also twice among the new and the removed items, and only those are
  /// hashed.
  @inlinable
  func hasUniqueIDs(_ new: [Element]) -> Bool {
    guard oldCount - removed.count == newCount - inserted.count else { return false }
    let count = newCount + removed.count
    var table = IDMatcher<Element.ID>(count: count, indexCount: count, hashing: .fastest)
    let duplicate = table.firstDuplicate(count: count) { index in
      index < newCount ? new[index].id : removed[index - newCount].element.id
    }
    return duplicate == nil
  }

  /// - Parameter usesBits: false to compare by `==` only, which is slower.
  /// - Returns: nil when the comparison was cancelled.
  @inlinable
  static func between(
    _ old: [Element], _ new: [Element], usesBits: Bool = true, isCancelled: () -> Bool
  ) -> ChangeSet? {
    old.withUnsafeBufferPointer { oldBits in
      new.withUnsafeBufferPointer { newBits in
        var matcher = Matcher(
          old: old, new: new, bits: BitComparison(old: oldBits, new: newBits, isOff: !usesBits))
        return matcher.changeSet(isCancelled: isCancelled)
      }
    }
  }

  @inlinable
  static func refuseDuplicates<Name>(
    in list: [Element], side: ListChangesError<Name>.Side, naming: (Element.ID) -> Name
  ) throws(ListChangesError<Name>) {
    var table = IDMatcher<Element.ID>(count: list.count, indexCount: list.count, hashing: .fastest)
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
