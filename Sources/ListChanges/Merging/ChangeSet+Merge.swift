extension Collection where Element: Identifiable & Equatable, Element.ID: Sendable {
  /// Merges this list, *mine*, into *theirs*; both were made of *base*.
  ///
  ///     let merge = try mine.merged(into: theirs, base: base, preferring: .mine)
  ///
  /// The rules, the other parameters and the laws are those of
  /// `ChangeSet.merged(into:preferring:merging:)`.
  ///
  /// - Throws: `ListChangesError.duplicateID` when a list has an id twice; its side is `old` for
  ///   the base.
  /// - Complexity: As two calls of `changes(to:isCancelled:)`.
  @inlinable
  public func merged(
    into theirs: some Collection<Element>, base: some Collection<Element>,
    preferring side: MergeSide? = nil,
    merging: (_ base: Element?, _ mine: Element, _ theirs: Element) -> Element? = { _, _, _ in nil }
  ) throws(ListChangesError<Element.ID>) -> ListMerge<Element> {
    let (base, theirs) = (Array(base), Array(theirs))
    let merge = try base.changes(to: self).merged(
      into: base.changes(to: theirs), preferring: side, merging: merging)
    return ListMerge(
      changes: merge.changes?.namingMoves { theirs[$0].id }, conflicts: merge.conflicts)
  }
}

extension ChangeSet {
  /// Merges these changes, *mine*, into those of *theirs*. Both start from one list, the base.
  ///
  /// - *Items*: one that either side removed is gone, also if the other moved it. If the other
  ///   changed its content, that is a conflict. Items that one side inserted come in.
  /// - *Contents*: a content that one side left alone is the other's; equal changes are one. Two
  ///   different ones go to `merging`, as do two contents of an id that both sides inserted.
  /// - *Order*: that of theirs. Items that mine inserted or moved are placed in it again, each
  ///   behind the nearest item before it in mine that is still there. Those at the end of mine go
  ///   to the end. Where both moved an item, mine decides.
  ///
  /// Merging mine into the result changes nothing. Without changes of mine the result is theirs,
  /// without changes of theirs it is mine. Items that mine did not place keep the order of theirs.
  /// `MergeLaws` in the tests has all laws.
  ///
  /// - Parameters:
  ///   - theirs: the changes of the other side; the result starts from the list that they lead to.
  ///   - side: the side whose content is taken in a conflict; nil for no changes if there is one.
  ///   - merging: merges two contents of one item; nil for a conflict. `base` is nil if both sides
  ///     inserted the item.
  /// - Returns: the merge. A move of an item that neither side moved has no id.
  /// - Precondition: Both start from the same list; only the counts are checked.
  /// - Complexity: O(d log d) for the d changes of both sides, of which only removed and inserted
  ///   items are hashed; independent of the lists' lengths.
  @inlinable
  public func merged(
    into theirs: ChangeSet, preferring side: MergeSide? = nil,
    merging: (_ base: Element?, _ mine: Element, _ theirs: Element) -> Element? = { _, _, _ in nil }
  ) -> ListMerge<Element> {
    precondition(oldCount == theirs.oldCount, "both sides start from one list")
    var contents = MergedContents(
      mine: self, theirs: theirs, across: theirs.inverted().composed(with: self), preferring: side)
    contents.merge(merging)
    let isDecided = side != nil || contents.conflicts.isEmpty
    return ListMerge(
      changes: isDecided ? contents.changes() : nil, conflicts: contents.conflicts)
  }
}
