import ListModel

/// The tasks that wait for a change, each with its continuation.
///
/// A watcher with news is *due*, and waits for its turn. News to a due watcher cost nothing: it
/// reads the newest state when its turn comes.
struct HeadWatchers {
  /// The lists that a watcher waits for.
  enum Subject: Hashable, Sendable {
    case list(ListName)
    /// Every list that the watcher's caller may read.
    case all
  }

  struct Watcher {
    let continuation: CheckedContinuation<Void, Never>
    let subject: Subject
    /// Nil when there is no caller.
    let caller: Caller?
  }

  private var watchers: [Int: Watcher] = [:]
  /// The watchers without news.
  private var waiting: [Subject: Set<Int>] = [:]
  /// The watchers with news, in the order of their turns, among others that have left.
  private var due: [Int] = []

  var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }
  var dueCount: Int { watchers.count - waitingCount }

  mutating func add(_ watcher: Watcher, id: Int, hasNews: Bool) {
    watchers[id] = watcher
    if hasNews { due.append(id) } else { waiting[watcher.subject, default: []].insert(id) }
  }

  /// Removes a watcher; nil if it was removed before.
  mutating func remove(_ id: Int) -> Watcher? {
    guard let watcher = watchers.removeValue(forKey: id) else { return nil }
    waiting[watcher.subject]?.remove(id)
    if waiting[watcher.subject]?.isEmpty == true { waiting[watcher.subject] = nil }
    return watcher
  }

  /// Removes the watchers whose caller meets a condition.
  ///
  /// - Complexity: O(w) for all w watchers.
  mutating func remove(where isMeant: (Caller?) -> Bool) -> [Watcher] {
    watchers.filter { isMeant($0.value.caller) }.keys.compactMap { remove($0) }
  }

  /// Makes the watchers of some lists due.
  ///
  /// - Complexity: O(w + a · l) for w watchers without news of these l lists and a watchers without
  ///   news of all lists.
  mutating func announce(_ lists: [ListName]) {
    for list in lists { due += waiting.removeValue(forKey: .list(list)) ?? [] }
    for id in waiting[.all] ?? [] {
      let caller = watchers[id]?.caller
      guard lists.contains(where: { caller?.mayRead($0) ?? true }) else { continue }
      waiting[.all]?.remove(id)
      due.append(id)
    }
  }

  /// Removes the watchers whose turn it is, at most some of them.
  mutating func takeTurns(_ limit: Int) -> [Watcher] {
    var (turns, end) = ([Watcher](), 0)
    while turns.count < limit, end < due.count {
      if let watcher = watchers.removeValue(forKey: due[end]) { turns.append(watcher) }
      end += 1
    }
    due.removeFirst(end)
    return turns
  }
}
