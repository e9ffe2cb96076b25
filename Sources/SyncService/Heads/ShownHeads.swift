import ListChanges
import ListModel
import ListStore

/// The newest heads of all lists, and the order of their changes.
///
/// Changes have ascending numbers, so one number identifies the seen changes of all lists.
struct ShownHeads {
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
  /// - Parameter isAsked: whether a list counts.
  /// - Complexity: O(log l + n) for l lists, of which n are looked at.
  func heads(
    _ range: NameRange = NameRange(), where isAsked: (ListName) -> Bool = { _ in true }
  ) -> [ListSummary] {
    let start = names.partitioningIndex { range.begins(before: $0) }
    return names[start...].prefix { $0.text.utf8.starts(with: range.prefix.utf8) }.lazy
      .filter(isAsked).prefix(range.limit ?? .max).map { changes[$0]!.head }
  }

  /// Shows the heads of some lists, or of all.
  ///
  /// - Parameters:
  ///   - heads: by name, of the lists that exist among those.
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
    }
    let changed = heads.filter { changes[$0.head.name]?.head != $0.head }
    for (key, head) in changed {
      lastNumber += 1
      if asked != nil, changes[head.name] == nil {
        names.insert(head.name, at: place(of: head.name))
      }
      changes[head.name] = Change(number: lastNumber, head: head)
      namesByKey[key] = head.name
      history.append((lastNumber, head.name))
    }
    if asked == nil { names = heads.map(\.head.name) }
    if history.count > 2 * changes.count { history = history.filter(isLast) }
    return changed.map(\.head.name) + gone.filter { changes[$0] == nil }
  }

  /// The place of a name, or where it would be.
  private func place(of name: ListName) -> Int { names.partitioningIndex { !($0 < name) } }

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
