import ListModel
import Synchronization

/// Answers that were made once and are the same until the list is another: bounded in bytes, the
/// least recently used go first.
final class AnswerCache: Sendable {
  /// What an answer depends on.
  struct Key: Hashable, Sendable {
    /// The request in a normal form.
    let request: String
    let head: Cursor
    let oldest: Version
  }

  fileprivate struct Entry {
    let answer: Answer
    let byteCount: Int
    var lastUse: Int
  }

  fileprivate struct State {
    var entries: [Key: Entry] = [:]
    var byteCount = 0
    var clock = 0
    var hits = 0
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  func answer(for key: Key) -> Answer? {
    state.withLock { state in
      guard let index = state.entries.index(forKey: key) else { return nil }
      state.clock += 1
      state.hits += 1
      state.entries.values[index].lastUse = state.clock
      return state.entries.values[index].answer
    }
  }

  /// Keeps an answer whose body is held; others, and those that would take more than a quarter of
  /// all there is, are not kept.
  func keep(_ answer: Answer, for key: Key) {
    guard case .held(let body) = answer.body else { return }
    // What gzip may make of it is counted as if it were made.
    let byteCount = Self.entryByteCount + key.request.utf8.count + 2 * body.byteCount
    guard byteCount <= byteLimit / 4 else { return }
    state.withLock { state in
      state.clock += 1
      let entry = Entry(answer: answer, byteCount: byteCount, lastUse: state.clock)
      state.byteCount += byteCount - (state.entries.updateValue(entry, forKey: key)?.byteCount ?? 0)
      if state.byteCount > byteLimit { state.shrink(to: byteLimit * 3 / 4) }
    }
  }

  var hits: Int { state.withLock { $0.hits } }
  var byteCount: Int { state.withLock { $0.byteCount } }

  private static let entryByteCount = 512
}

extension AnswerCache.State {
  /// Drops the least recently used entries; many at once, so that the order is made seldom.
  fileprivate mutating func shrink(to byteLimit: Int) {
    for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      if byteCount <= byteLimit { return }
      entries[key] = nil
      byteCount -= entry.byteCount
    }
  }
}
