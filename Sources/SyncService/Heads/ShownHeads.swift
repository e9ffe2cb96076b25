import ListModel

/// The newest heads of all lists, and in which order the lists changed.
///
/// Each change of a list has a number, higher than all before; a list's own is that of its last one.
/// So what somebody has seen of all lists is one number.
struct ShownHeads {
  /// A list as it is since a change.
  struct Change {
    let number: Int
    let head: ListSummary
  }

  /// By name.
  private(set) var heads: [ListSummary] = []
  /// The number of the last change; 0 before the first.
  private(set) var lastNumber = 0
  private var changes: [ListName: Change] = [:]
  /// All changes in ascending order; also some that later ones of the same list took the place of.
  private var log: [(number: Int, list: ListName)] = []

  var logCount: Int { log.count }

  /// The last change of a list; nil where there is no such list.
  ///
  /// - Complexity: O(1).
  func change(of list: ListName) -> Change? { changes[list] }

  /// Shows what was read.
  ///
  /// - Parameter heads: by name.
  /// - Returns: the lists that are not as they were shown before, or were not there.
  /// - Complexity: O(l) for l lists.
  mutating func show(_ heads: [ListSummary]) -> [ListName] {
    let changed = heads.filter { changes[$0.name]?.head != $0 }
    for head in changed {
      lastNumber += 1
      changes[head.name] = Change(number: lastNumber, head: head)
      log.append((lastNumber, head.name))
    }
    if changes.count > heads.count {
      let names = Set(heads.map(\.name))
      changes = changes.filter { names.contains($0.key) }
    }
    if log.count > 2 * changes.count { log = log.filter(isLast) }
    self.heads = heads
    return changed.map(\.name)
  }

  private func isLast(_ entry: (number: Int, list: ListName)) -> Bool {
    changes[entry.list]?.number == entry.number
  }

  /// The first change after a number that is the last one of its list; nil where there is none.
  ///
  /// - Parameter isAsked: which lists count.
  /// - Complexity: O(log l + s) for l lists and the s changes that are passed over.
  func next(after number: Int, where isAsked: (ListName) -> Bool) -> Change? {
    var (low, high) = (0, log.count)
    while low < high {
      let middle = (low + high) / 2
      if log[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    let entry = log[low...].first { isLast($0) && isAsked($0.list) }
    return entry.flatMap { changes[$0.list] }
  }
}
