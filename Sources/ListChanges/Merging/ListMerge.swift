/// The result of merging *mine* into *theirs*, two lists made of one *base*.
///
///     base    a b c         mine moved c to the front, and inserted d at the end
///     mine    c a b d       theirs removed b, and inserted e
///     theirs  a e c
///     merged  c a e d
///
/// A change that only one side made is taken. A conflict is an item that both changed, or that one
/// changed and the other removed. The place of an item is never a conflict.
/// `ChangeSet.merged(into:preferring:merging:)` has the rules.
public struct ListMerge<Element: Identifiable & Equatable> {
  /// The canonical change set from theirs to the merged list; nil when there are conflicts, and no
  /// side is preferred.
  public let changes: ChangeSet<Element>?
  /// First those of items that both sides have, then those of items that mine removed, both in the
  /// order of theirs; then those of items that theirs removed, in the order of mine.
  public let conflicts: [MergeConflict<Element>]

  @inlinable
  package init(changes: ChangeSet<Element>?, conflicts: [MergeConflict<Element>]) {
    (self.changes, self.conflicts) = (changes, conflicts)
  }
}

/// A side of a merge.
public enum MergeSide: String, CaseIterable, Sendable { case mine, theirs }

/// The reason of a conflict.
public enum MergeConflictKind: String, CaseIterable, Sendable {
  /// Both sides changed the item, each in another way.
  case changed
  /// Both sides inserted the id, with contents that differ.
  case inserted
  /// Mine removed the item; theirs changed it.
  case removedByMine = "removed-by-mine"
  /// Theirs removed the item; mine changed it.
  case removedByTheirs = "removed-by-theirs"
}

/// An item that the two sides of a merge changed in ways that exclude each other.
///
/// Each of the three elements is nil where that list lacks the item. At most one is nil.
public struct MergeConflict<Element: Identifiable & Equatable>: Equatable {
  public let base: Element?
  public let mine: Element?
  public let theirs: Element?

  @inlinable
  package init(base: Element?, mine: Element?, theirs: Element?) {
    precondition([base, mine, theirs].count { $0 == nil } <= 1, "two lists have the item")
    (self.base, self.mine, self.theirs) = (base, mine, theirs)
  }

  @inlinable
  public var kind: MergeConflictKind {
    if base == nil { return .inserted }
    if mine == nil { return .removedByMine }
    return theirs == nil ? .removedByTheirs : .changed
  }

  @inlinable
  public var id: Element.ID {
    guard let element = mine ?? theirs else { preconditionFailure("one side has the item") }
    return element.id
  }
}

extension ListMerge: Equatable {}
extension ListMerge: Sendable where Element: Sendable, Element.ID: Sendable {}
extension MergeConflict: Sendable where Element: Sendable {}
