import ListModel

/// The tasks that wait for a change, each with its continuation.
struct HeadWatchers {
  /// The lists that a watcher waits for.
  enum Subject: Hashable, Sendable {
    case list(ListName)
    /// Every list that the watcher's caller may read.
    case all
  }

  struct Watcher {
    let continuation: CheckedContinuation<Void, Never>
    /// Nil when there is no caller.
    let caller: Caller?
  }

  private var watchers: [Subject: [Int: Watcher]] = [:]

  var count: Int { watchers.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ watcher: Watcher, id: Int, to subject: Subject) {
    watchers[subject, default: [:]][id] = watcher
  }

  /// Removes a watcher; nil if it was removed before.
  mutating func remove(_ id: Int, from subject: Subject) -> Watcher? {
    let watcher = watchers[subject]?.removeValue(forKey: id)
    if watchers[subject]?.isEmpty == true { watchers[subject] = nil }
    return watcher
  }

  /// Removes the watchers of some lists.
  ///
  /// - Complexity: O(w + a · l) for w watchers of these l lists and a watchers of all lists.
  mutating func remove(_ lists: [ListName]) -> [Watcher] {
    let removed = lists.flatMap {
      watchers.removeValue(forKey: .list($0))?.values.map(\.self) ?? []
    }
    return removed + remove(from: .all) { caller in lists.contains { caller?.mayRead($0) ?? true } }
  }

  /// Removes the watchers whose caller meets a condition.
  ///
  /// - Complexity: O(w) for all w watchers.
  mutating func remove(where isMeant: (Caller?) -> Bool) -> [Watcher] {
    watchers.keys.flatMap { remove(from: $0, where: isMeant) }
  }

  private mutating func remove(
    from subject: Subject, where isMeant: (Caller?) -> Bool
  ) -> [Watcher] {
    let removed = watchers[subject]?.filter { isMeant($0.value.caller) } ?? [:]
    return removed.keys.compactMap { remove($0, from: subject) }
  }
}
