import ListChanges
import ListModel

/// The newest heads of all lists, and the order of their changes.
///
/// Changes have ascending numbers, so one number identifies the seen changes of all lists.
struct ShownHeads {
  /// The last change of a list.
  struct Change {
    let number: Int
    let head: ListSummary
  }

  /// By name.
  private(set) var heads: [ListSummary] = []
  /// The number of the last change; 0 before the first.
  private(set) var lastNumber = 0
  private var changes: [ListName: Change] = [:]
  /// All changes in ascending order, including superseded ones.
  private var history: [(number: Int, list: ListName)] = []

  /// For tests that count.
  var historyCount: Int { history.count }

  /// The last change of a list; nil if there is no such list.
  func change(of list: ListName) -> Change? { changes[list] }

  /// - Parameter heads: by name.
  /// - Returns: the lists that changed, are new, or are no longer there.
  /// - Complexity: O(l) for l lists.
  mutating func show(_ heads: [ListSummary]) -> [ListName] {
    var gone: [ListName] = []
    let changed = heads.filter { changes[$0.name]?.head != $0 }
    for head in changed {
      lastNumber += 1
      changes[head.name] = Change(number: lastNumber, head: head)
      history.append((lastNumber, head.name))
    }
    if changes.count > heads.count {
      let names = Set(heads.map(\.name))
      gone = changes.keys.filter { !names.contains($0) }
      for name in gone { changes[name] = nil }
    }
    if history.count > 2 * changes.count { history = history.filter(isLast) }
    self.heads = heads
    return changed.map(\.name) + gone
  }

  private func isLast(_ entry: (number: Int, list: ListName)) -> Bool {
    changes[entry.list]?.number == entry.number
  }

  /// The first change after a number that is not superseded; nil if there is none.
  ///
  /// - Parameter isAsked: whether a list counts.
  /// - Complexity: O(log l + s) for l lists and s skipped changes.
  func next(after number: Int, where isAsked: (ListName) -> Bool) -> Change? {
    let start = history.partitioningIndex { $0.number > number }
    let entry = history[start...].first { isLast($0) && isAsked($0.list) }
    return entry.flatMap { changes[$0.list] }
  }
}
