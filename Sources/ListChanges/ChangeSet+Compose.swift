extension ChangeSet {
  /// Makes the change set from A to C of this one, from A to B, and the next, from B to C. It is
  /// index for index the result of comparing A with C, and needs neither list.
  ///
  /// An id that this change set removes and the next inserts is matched again. An item that is
  /// inserted and then removed leaves no change; neither does an update that restores the content.
  ///
  /// - Precondition: The next change set starts from the list that this one ends in; only the
  ///   counts are checked.
  /// - Complexity: O(d log d) for the d changes of both; independent of the lists' lengths.
  @inlinable
  public func composed(with next: ChangeSet) -> ChangeSet {
    var composer = StepComposer<Element>(oldCount: oldCount)
    for step in [self, next] { composer.append(step) }
    return composer.changeSet()
  }

  /// Composes successive change sets. The result is canonical; a single change set is returned
  /// unchanged.
  ///
  /// - Returns: nil for an empty sequence.
  /// - Precondition: As in ``composed(with:)``.
  /// - Complexity: O(d log d) for d changes in all; independent of the lists' lengths.
  @inlinable
  public static func composing(_ steps: some Collection<ChangeSet>) -> ChangeSet? {
    guard let first = steps.first, steps.count > 1 else { return steps.first }
    var composer = StepComposer<Element>(oldCount: first.oldCount)
    for step in steps { composer.append(step) }
    return composer.changeSet()
  }
}
