extension ChangeSet {
  /// Makes the change set from A to C out of this one, from A to B, and the next, from B to C. It
  /// is index for index the one that comparing A with C gives, and neither list is needed.
  ///
  /// An id that this change set removes and the next inserts is matched again; an item that is
  /// inserted and removed again leaves no trace, nor does an update that ends where it began.
  ///
  /// - Precondition: the next change set starts from a list of `newCount` items. That it starts
  ///   from the very list that this one ends in cannot be seen here; the caller knows it.
  /// - Complexity: O(d log d) for the d changes of both; independent of the lists' lengths.
  @inlinable
  public func composed(with next: ChangeSet) -> ChangeSet {
    precondition(newCount == next.oldCount, "the next change set starts from another list")
    if isEmpty { return next }
    if next.isEmpty { return self }
    var composer = StepComposer<Element>(oldCount: oldCount)
    composer.append(self)
    composer.append(next)
    return composer.changeSet()
  }

  /// Composes a sequence of change sets, each starting where the one before it ends. The result is
  /// canonical; a sequence of one is that one as it is.
  ///
  /// - Returns: nil for an empty sequence.
  /// - Precondition: each change set starts from a list of as many items as the one before it ends
  ///   in, as in ``composed(with:)``.
  /// - Complexity: O(d log d) for d changes in all; independent of the lists' lengths.
  @inlinable
  public static func composing(_ steps: some Collection<ChangeSet>) -> ChangeSet? {
    guard let first = steps.first, steps.count > 1 else { return steps.first }
    var composer = StepComposer<Element>(oldCount: first.oldCount)
    for step in steps { composer.append(step) }
    return composer.changeSet()
  }
}
