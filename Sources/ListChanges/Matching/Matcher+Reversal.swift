extension Matcher {
  /// The change set of lists whose middles are each other's reversal, such as a list sorted the
  /// other way round; nil for other lists, nearly always after the first pair.
  ///
  /// All items of the middle lie on one pile, whose top is the last in old order. It stays and the
  /// others move, so nothing is hashed, sorted or searched.
  ///
  /// - Parameters:
  ///   - prefix: the number of equal items at the start.
  ///   - suffix: the number of equal items at the end.
  @inlinable
  func reversal(prefix: Int, suffix: Int) -> ChangeSet<Element>? {
    let end = old.count - suffix
    guard old.count == new.count, end - prefix > 1, bits.isSame(prefix, end - 1) else { return nil }
    var updated: [Update] = []
    for to in prefix..<end {
      let from = end - 1 - (to - prefix)
      guard bits.isSame(from, to) else { return nil }
      if !bits.isEqual(from, to) {
        updated.append(Update(from: from, to: to, old: old[from], new: new[to]))
      }
    }
    var moved: [ChangeSet<Element>.Move] = []
    moved.reserveCapacity(end - prefix - 1)
    for from in prefix..<end - 1 {
      let to = end - 1 - (from - prefix)
      moved.append(ChangeSet<Element>.Move(from: from, to: to, id: bits.old[from].id))
    }
    return ChangeSet(
      uncheckedOldCount: old.count, newCount: new.count, removed: [], moved: moved, inserted: [],
      updated: updated)
  }
}
