extension IndexUpdate {
  /// Combines this update, from A to B, with the next, from B to C, into one from A to C, out of
  /// the indexes alone.
  ///
  /// What is kept is what both keep. For the others:
  ///
  ///     in this update     in the next      in the result
  ///     reloaded or kept   reloaded         reload, at the index in A
  ///     reloaded           kept             reload, at the index in A
  ///     reloaded or kept   deleted          deletion, at the index in A
  ///     inserted           reloaded, kept   insertion, at the index in C: it shows the new content
  ///     inserted           deleted          nothing
  ///
  /// Indexes have no names, so three things remain unknown, each harmless on the screen: an item
  /// deleted and inserted again stays a deletion and an insertion; one updated and set back stays a
  /// reload; and the kept items may be fewer than a comparison of A with C would keep. Where that
  /// matters, compose the change sets (``ChangeSet/composed(with:)``) and render the result.
  ///
  /// Composition is associative, the empty update is its identity, and
  /// `a.composed(with: b).inverse == b.inverse.composed(with: a.inverse)`.
  ///
  /// - Precondition: the next update starts from the list that this one ends in.
  /// - Complexity: O(d log d) for the d indexes of both; independent of the lists' lengths.
  public func composed(with next: IndexUpdate) -> IndexUpdate {
    let isGone = Set(next.deletions)
    let oldIndex = { kept.inverted.newIndex(ofOld: $0) }
    let isReloadStill = { (index: Int) in !isGone.contains(kept.newIndex(ofOld: index) ?? -1) }
    return IndexUpdate(
      insertions: next.insertions + insertions.compactMap { next.kept.newIndex(ofOld: $0) },
      deletions: deletions + next.deletions.compactMap(oldIndex),
      reloads: reloads.filter(isReloadStill) + next.reloads.compactMap(oldIndex))
  }
}
