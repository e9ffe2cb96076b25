import ListChanges
import ListModel
import ListStore

/// The newest heads of all lists, and the order of their changes.
///
/// Changes have ascending numbers, so one number identifies the seen changes of all lists. A list
/// that is dropped or renamed is a change of the name that it had.
struct HeadIndex {
  /// The last change of a list.
  struct Change {
    let number: Int
    let head: ListSummary
  }

  /// In order.
  private var names: [ListName] = []
  /// The number of the last change; 0 before the first.
  private(set) var lastNumber = 0
  private var changes: [ListName: Change] = [:]
  /// The numbers of the changes in which names lost their lists.
  private var departures: [ListName: Int] = [:]
  private var namesByKey: [ListKey: ListName] = [:]
  /// All changes in ascending order, including superseded ones.
  private var history: [(number: Int, list: ListName)] = []

  var count: Int { names.count }

  /// For tests that count.
  var historyCount: Int { history.count }

  /// The last change of a list; nil if there is no such list.
  func change(of list: ListName) -> Change? { changes[list] }

  /// The heads of lists by name.
  ///
  /// - Parameter patterns: the lists to return, as patterns in the order of the names. No list
  ///   matches two of them.
  /// - Complexity: O(p log l + n) for p patterns and n of l lists.
  func heads(
    _ range: NameRange = NameRange(), matching patterns: [ListPattern] = [.all]
  ) -> [ListSummary] {
    names.names(in: range, matching: patterns).compactMap { changes[$0]?.head }
  }

  /// Shows the heads of some lists, or of all.
  ///
  /// - Parameters:
  ///   - heads: the heads of those lists that exist, by name.
  ///   - asked: the lists that were asked for; nil for all.
  /// - Returns: the lists that changed, are new, or are no longer there.
  /// - Complexity: O(a) for a lists that were asked for, and O(l) moved names for each of them that
  ///   is new, or has left its name, among l lists; O(l) for all lists.
  mutating func show(_ heads: [KeyedHead], asked: [ListKey]?) -> [ListName] {
    let found = Dictionary(uniqueKeysWithValues: heads.map { ($0.key, $0.head.name) })
    let left = (asked ?? Array(namesByKey.keys)).filter { namesByKey[$0] != found[$0] }
    let gone = left.compactMap { namesByKey.removeValue(forKey: $0) }
    for name in gone {
      changes[name] = nil
      if asked != nil { names.remove(at: place(of: name)) }
      lastNumber += 1
      departures[name] = lastNumber
      history.append((lastNumber, name))
    }
    let changed = heads.filter { changes[$0.head.name]?.head != $0.head }
    for (key, head) in changed {
      if asked != nil, changes[head.name] == nil {
        names.insert(head.name, at: place(of: head.name))
      }
      namesByKey[key] = head.name
      change(to: head)
    }
    if asked == nil { names = heads.map(\.head.name) }
    trimHistory()
    return changed.map(\.head.name) + gone.filter { changes[$0] == nil }
  }

  /// Shows another head of a list that is shown.
  ///
  /// - Complexity: O(1) on average.
  mutating func replace(_ head: ListSummary) {
    precondition(changes[head.name] != nil, "the list is shown")
    change(to: head)
    trimHistory()
  }

  private mutating func change(to head: ListSummary) {
    lastNumber += 1
    changes[head.name] = Change(number: lastNumber, head: head)
    departures[head.name] = nil
    history.append((lastNumber, head.name))
  }

  /// Drops superseded changes once they are most of the history.
  private mutating func trimHistory() {
    if history.count > 2 * (changes.count + departures.count) { history = history.filter(isLast) }
  }

  /// The place of a name, or where it would be.
  private func place(of name: ListName) -> Int { names.partitioningIndex { !($0 < name) } }

  private func isLast(_ entry: (number: Int, list: ListName)) -> Bool {
    (changes[entry.list]?.number ?? departures[entry.list]) == entry.number
  }

  /// The first change after a number that is not superseded; nil if there is none.
  ///
  /// - Parameter isAsked: whether a list counts.
  /// - Complexity: O(log l + s) for l lists and s skipped changes.
  func next(after number: Int, where isAsked: (ListName) -> Bool) -> Change? {
    let start = history.partitioningIndex { $0.number > number }
    let entry = history[start...].first { entry in
      changes[entry.list]?.number == entry.number && isAsked(entry.list)
    }
    return entry.flatMap { changes[$0.list] }
  }

  /// The number of the last change after a number that counts; nil if there is none.
  ///
  /// - Complexity: O(log l + s) for l lists and s changes after the number.
  func lastNumber(after number: Int, where isAsked: (ListName) -> Bool) -> Int? {
    let start = history.partitioningIndex { $0.number > number }
    return history[start...].last { isAsked($0.list) }?.number
  }

  /// The last change of each name after a number, in the order of the changes.
  ///
  /// - Parameters:
  ///   - number: the number of a change; 0 for all present lists.
  ///   - limit: the highest number of changes in the answer; 1 or more.
  ///   - isAsked: whether a name counts.
  /// - Complexity: O(log l + s) for l lists and s changes after the number.
  func changes(
    after number: Int, limit: Int, where isAsked: (ListName) -> Bool
  ) -> HeadChanges {
    let start = history.partitioningIndex { $0.number > number }
    var entries: [(number: Int, list: ListName)] = []
    for entry in history[start...] where entries.count <= limit {
      guard isLast(entry), isAsked(entry.list) else { continue }
      // A reader that begins never had the names that are gone.
      if number > 0 || changes[entry.list] != nil { entries.append(entry) }
    }
    let (page, hasMore) = (entries.prefix(limit), entries.count > limit)
    return HeadChanges(
      lists: page.compactMap { changes[$0.list]?.head },
      gone: page.map(\.list).filter { changes[$0] == nil },
      last: hasMore ? page.last?.number ?? number : lastNumber, hasMore: hasMore)
  }
}

/// Names in ascending order.
extension RandomAccessCollection where Element == ListName, Index == Int {
  /// The names of a range, in order. See ``HeadIndex/heads(_:matching:)``.
  func names(in range: NameRange, matching patterns: [ListPattern]) -> [ListName] {
    var found: [ListName] = []
    for pattern in patterns {
      let start = pattern.start ?? pattern.text
      guard start.hasPrefix(range.prefix) || range.prefix.hasPrefix(start) else { continue }
      var part = range
      part.prefix = start.hasPrefix(range.prefix) ? start : range.prefix
      for name in self[partitioningIndex { part.begins(before: $0) }...] {
        guard found.count < range.limit ?? .max else { return found }
        guard pattern.matches(name), name.text.hasPrefix(part.prefix) else { break }
        found.append(name)
      }
    }
    return found
  }
}
