import HTTPTypes
import ListDocuments
import ListModel
import Synchronization

/// Answers that were made once and are the same until the list is another: bounded in bytes, the
/// least recently used go first.
///
/// What is asked for while it is being made is made once; and what is too large to be kept is shared for as
/// long as somebody is being sent it. So many who ask for one thing cost one, and many who never read
/// what they asked for are refused before they cost all memory.
final class AnswerCache: Sendable {
  /// What an answer depends on.
  struct Key: Hashable, Sendable {
    /// The request in a normal form.
    let request: String
    let head: Cursor
    let oldest: Version
  }

  /// An answer, and whether it is what its key says: a head may have moved on meanwhile.
  struct Made: Sendable {
    let answer: Answer
    let isOfKey: Bool
  }

  fileprivate struct Entry {
    let answer: Answer
    let byteCount: Int
    var lastUse: Int
  }

  /// An answer whose body others hold.
  fileprivate struct Shared {
    /// Without its body.
    var answer: Answer
    weak var body: HeldBody?

    init(_ answer: Answer, _ body: HeldBody) {
      self.answer = answer
      self.answer.body = .empty
      self.body = body
    }
  }

  fileprivate struct State {
    var entries: [Key: Entry] = [:]
    var shared: [Key: Shared] = [:]
    var making: [Key: Task<Answer, any Error>] = [:]
    var byteCount = 0
    var clock = 0
    var hits = 0
  }

  private let byteLimit: Int
  private let heldByteLimit: Int
  private let state = Mutex(State())
  /// All that is kept here, or on its way to somebody.
  let held = HeldBytes()

  /// - Parameters:
  ///   - byteLimit: how many bytes are kept.
  ///   - heldByteLimit: how many bytes there may be in all, with those on their way, before another large
  ///     answer is refused.
  init(byteLimit: Int, heldByteLimit: Int = .max) {
    self.byteLimit = byteLimit
    self.heldByteLimit = heldByteLimit
  }

  /// The answer for a key: kept, shared with others, or made.
  ///
  /// - Parameter key: nil for what is to be made anew for each who asks.
  /// - Throws: `Problem` of type `busy` when too much is on its way to others; what `make` throws.
  func answer(
    for key: Key?, or make: @escaping @Sendable () async throws -> Made
  ) async throws -> Answer {
    guard let key else { return try admit(await make().answer) }
    if let answer = answer(for: key) { return answer }
    let task = state.withLock { state in
      if let task = state.making[key] { return task }
      let task = Task { try await self.made(for: key, by: make) }
      state.making[key] = task
      return task
    }
    return try await task.value
  }

  private func made(
    for key: Key, by make: @Sendable () async throws -> Made
  ) async throws -> Answer {
    defer { state.withLock { $0.making[key] = nil } }
    let made = try await make()
    let answer = try admit(made.answer)
    if made.isOfKey { keep(answer, for: key) }
    return answer
  }

  private func answer(for key: Key) -> Answer? {
    state.withLock { state in
      if let index = state.entries.index(forKey: key) {
        state.clock += 1
        state.hits += 1
        state.entries.values[index].lastUse = state.clock
        return state.entries.values[index].answer
      }
      guard let shared = state.shared[key], let body = shared.body else { return nil }
      state.hits += 1
      var answer = shared.answer
      answer.body = .held(body)
      return answer
    }
  }

  /// Counts what is held, and refuses what would be too much; one answer alone never is.
  private func admit(_ answer: Answer) throws(Problem) -> Answer {
    guard case .held(let body) = answer.body, body.byteCount >= Self.leastCountedByteCount else {
      return answer
    }
    try checkRoom()
    body.count(on: held)
    return answer
  }

  /// - Throws: `Problem` of type `busy` when there is no room for another large answer.
  func checkRoom() throws(Problem) {
    guard held.count <= heldByteLimit else {
      throw Problem(
        kind: .busy, detail: "too many large answers are on their way to others; try again",
        headers: [.retryAfter: "1"])
    }
  }

  /// Keeps an answer whose body is held; one that would take more than a quarter of all there is, only for
  /// as long as others do.
  private func keep(_ answer: Answer, for key: Key) {
    guard case .held(let body) = answer.body else { return }
    // What gzip may make of it is counted as if it were made.
    let byteCount = Self.entryByteCount + key.request.utf8.count + 2 * body.byteCount
    state.withLock { state in
      guard byteCount <= byteLimit / 4 else {
        state.shared = state.shared.filter { $0.value.body != nil }
        state.shared[key] = Shared(answer, body)
        return
      }
      state.clock += 1
      let entry = Entry(answer: answer, byteCount: byteCount, lastUse: state.clock)
      state.byteCount += byteCount - (state.entries.updateValue(entry, forKey: key)?.byteCount ?? 0)
      if state.byteCount > byteLimit { state.shrink(to: byteLimit * 3 / 4) }
    }
  }

  var hits: Int { state.withLock { $0.hits } }
  var byteCount: Int { state.withLock { $0.byteCount } }

  private static let entryByteCount = 512
  /// Less than this is in the sockets' buffers before anybody could hold it back.
  private static let leastCountedByteCount = 1 << 16
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
