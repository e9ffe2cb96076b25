extension ChangeSet where Element.ID: Sendable {
  /// Makes a change set of arrays from outside, such as a document or a database.
  ///
  /// - Throws: `ListChangesError.invalid` when the arrays cannot lead from a list of `oldCount`
  ///   items to one of `newCount`. The moves need not be the canonical ones; see ``canonical()``.
  /// - Complexity: O(d log d) for d changes.
  @inlinable
  public init(
    oldCount: Int, newCount: Int, removed: [Removal] = [], moved: [Move] = [],
    inserted: [Insertion] = [], updated: [Update] = []
  ) throws(ListChangesError<Element.ID>) {
    self.oldCount = oldCount
    self.newCount = newCount
    self.removed = removed
    self.moved = moved
    self.inserted = inserted
    self.updated = updated
    if let violation { throw .invalid(violation) }
  }
}

extension ChangeSet {
  /// The first broken rule; nil for a valid change set. Asserted after every computation.
  @inlinable
  var violation: ChangeSetViolation? {
    guard oldCount >= 0, newCount >= 0 else {
      return .init("count", "a count is negative")
    }
    return Self.disorder(of: removed.map { $0.from }, in: "removed", "from", oldCount)
      ?? Self.disorder(of: moved.map { $0.from }, in: "moved", "from", oldCount)
      ?? Self.disorder(of: inserted.map { $0.to }, in: "inserted", "to", newCount)
      ?? Self.disorder(of: updated.map { $0.to }, in: "updated", "to", newCount)
      ?? collision ?? unmatchedUpdate
  }

  @usableFromInline
  static func disorder(
    of indexes: [Int], in array: String, _ member: String, _ count: Int
  ) -> ChangeSetViolation? {
    var previous = -1
    for (position, index) in indexes.enumerated() {
      guard index >= 0, index < count else {
        return .init(array, at: position, "\(member) is \(index), outside of a list of \(count)")
      }
      guard index > previous else {
        return .init(
          array, at: position, "\(member) is \(index), not above the \(previous) before it")
      }
      previous = index
    }
    return nil
  }

  /// An index that two changes use, or counts that do not add up.
  @inlinable
  var collision: ChangeSetViolation? {
    if let twice = Self.firstRepeat(in: departures) {
      return .init("moved", "index \(twice) of the old list is used twice")
    }
    if let twice = Self.firstRepeat(in: arrivals) {
      return .init("moved", "index \(twice) of the new list is used twice")
    }
    if moved.contains(where: { $0.to < 0 || $0.to >= newCount }) {
      return .init("moved", "a to is outside of a list of \(newCount)")
    }
    // No additions: counts from outside may be as large as `Int.max`.
    if oldCount - removed.count != newCount - inserted.count {
      return .init(
        "count",
        "\(oldCount) - \(removed.count) removed + \(inserted.count) inserted is not \(newCount)")
    }
    return nil
  }

  @usableFromInline
  static func firstRepeat(in ascending: [Int]) -> Int? {
    zip(ascending, ascending.dropFirst()).first { $0 == $1 }?.0
  }

  /// An update whose `from` and `to` are not the same item.
  @inlinable
  var unmatchedUpdate: ChangeSetViolation? {
    guard !updated.isEmpty else { return nil }
    let alignment = Alignment(of: self)
    for (position, update) in updated.enumerated()
    where alignment.oldIndex(ofNew: update.to) != update.from {
      return .init(
        "updated", at: position,
        "\(update.from) of the old list does not become \(update.to) of the new one")
    }
    return nil
  }
}
