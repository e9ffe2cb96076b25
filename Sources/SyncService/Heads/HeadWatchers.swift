import ListModel

/// Those who wait for a change, each by one continuation.
struct HeadWatchers {
  typealias Continuation = CheckedContinuation<Void, Never>

  /// Which lists somebody waits for.
  enum Subject: Hashable, Sendable {
    case list(ListName)
    /// Every list that the watcher's caller may read.
    case all
  }

  struct Watcher {
    let continuation: Continuation
    /// Nil for who waits on nobody's behalf.
    let caller: Caller?
  }

  private var watchers: [Subject: [Int: Watcher]] = [:]

  var count: Int { watchers.values.reduce(0) { $0 + $1.count } }

  mutating func add(_ watcher: Watcher, id: Int, to subject: Subject) {
    watchers[subject, default: [:]][id] = watcher
  }

  /// Takes a watcher out; nil when it was taken already.
  mutating func remove(_ id: Int, from subject: Subject) -> Watcher? {
    let watcher = watchers[subject]?.removeValue(forKey: id)
    if watchers[subject]?.isEmpty == true { watchers[subject] = nil }
    return watcher
  }

  /// Takes out those who wait for one of some lists.
  ///
  /// - Complexity: O(w + a · l) for the w watchers of the lists themselves, and the a who wait for all
  ///   that they may read of l lists.
  mutating func take(_ lists: [ListName]) -> [Watcher] {
    var taken = lists.flatMap { watchers.removeValue(forKey: .list($0))?.values.map(\.self) ?? [] }
    taken += take(from: .all) { caller in lists.contains { caller?.mayRead($0) ?? true } }
    return taken
  }

  /// Takes out those whose caller meets a condition.
  ///
  /// - Complexity: O(w) for all w watchers.
  mutating func take(where isMeant: (Caller?) -> Bool) -> [Watcher] {
    watchers.keys.flatMap { take(from: $0, where: isMeant) }
  }

  private mutating func take(
    from subject: Subject, where isMeant: (Caller?) -> Bool
  ) -> [Watcher] {
    let taken = watchers[subject]?.filter { isMeant($0.value.caller) } ?? [:]
    return taken.keys.compactMap { remove($0, from: subject) }
  }
}
