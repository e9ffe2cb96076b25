extension RandomAccessCollection
where Element: Identifiable & Equatable, Element.ID: Sendable, Index == Int {
  /// Makes the new list from this, the old one. It visits the whole list, so that ``ReplayedList``
  /// is faster for many small change sets in turn.
  ///
  /// - Throws: `ListChangesError.countMismatch` or `.itemMismatch` when the change set's count or
  ///   items show that it starts from another list.
  /// - Complexity: O(n + d log d) for a list of n items and d changes.
  @inlinable
  public func applying(
    _ changes: ChangeSet<Element>
  ) throws(ListChangesError<Element.ID>) -> [Element] {
    try applying(changes) { $0 }
  }
}

extension RandomAccessCollection where Element: Identifiable & Equatable, Index == Int {
  /// Like `applying(_:)`, for ids that are not `Sendable`: the error
  /// holds an id's description.
  @inlinable
  public func applying(
    _ changes: ChangeSet<Element>
  ) throws(ListChangesError<String>) -> [Element] {
    try applying(changes) { String(describing: $0) }
  }

  /// - Parameter naming: the name of an id in an error.
  @inlinable
  func applying<Name>(
    _ changes: ChangeSet<Element>, naming: (Element.ID) -> Name
  ) throws(ListChangesError<Name>) -> [Element] {
    let mismatch = changes.mismatch(
      count: count, item: { self[startIndex + $0] }, naming: naming)
    if let mismatch { throw mismatch }
    var result: [Element] = []
    result.reserveCapacity(changes.newCount)
    var kept = Gaps(between: changes.departures, count: count)
    func appendKept(until end: Int) {
      while result.count < end, let range = kept.current {
        let length = Swift.min(range.count, end - result.count)
        let start = startIndex + range.lowerBound
        result.append(contentsOf: self[start..<start + length])
        kept.advance(by: length)
      }
    }
    for arrival in arrivals(of: changes) {
      appendKept(until: arrival.to)
      result.append(arrival.element)
    }
    appendKept(until: changes.newCount)
    for update in changes.updated { result[update.to] = update.new }
    return result
  }

  /// The inserted items and the moved ones with their old content, ascending by new index.
  @inlinable
  func arrivals(of changes: ChangeSet<Element>) -> [ChangeSet<Element>.Insertion] {
    let moved = changes.moved.map {
      ChangeSet<Element>.Insertion(to: $0.to, element: self[startIndex + $0.from])
    }
    return moved.isEmpty ? changes.inserted : (changes.inserted + moved).sorted { $0.to < $1.to }
  }
}

extension ChangeSet {
  /// Compares the change set with the list that it is to be applied to.
  ///
  /// - Parameters:
  ///   - count: the number of items in the list.
  ///   - item: the item at an index of the list; called only when the number is right.
  ///   - naming: the name of an id in the error.
  /// - Returns: an error when the changes start from another list; nil when no difference shows.
  @inlinable
  func mismatch<Name>(
    count: Int, item: (_ index: Int) -> Element, naming: (Element.ID) -> Name
  ) -> ListChangesError<Name>? {
    guard count == oldCount else { return .countMismatch(expected: oldCount, found: count) }
    for removal in removed where Self.isOther(item(removal.from), than: removal.element) {
      return .itemMismatch(index: removal.from, expected: naming(removal.element.id))
    }
    for update in updated where Self.isOther(item(update.from), than: update.old) {
      return .itemMismatch(index: update.from, expected: naming(update.old.id))
    }
    for move in moved {
      if let id = move.id, item(move.from).id != id {
        return .itemMismatch(index: move.from, expected: naming(id))
      }
    }
    return nil
  }

  /// Whether a list with an item in the place of another one is another list. A value that does not
  /// equal itself, such as a NaN, shows this by its id alone.
  @inlinable
  static func isOther(_ found: Element, than expected: Element) -> Bool {
    found != expected && (expected == expected || found.id != expected.id)
  }
}
