import HTTPTypes
import ListDocuments
import ListModel
import Synchronization

/// Keeps answers that stay the same until the list changes. The bytes are bounded; the least
/// recently used answers are dropped first.
///
/// Equal requests at the same time make their answer once. An answer that is too large to be kept
/// is shared while it is being sent. So many equal requests cost one, and many large answers for
/// slow readers are refused before they use up the memory.
final class AnswerCache: Sendable {
  /// All that an answer depends on.
  struct Key: Hashable, Sendable {
    /// The request in a normal form.
    let request: String
    let head: Cursor
    let oldest: Version
  }

  struct Made: Sendable {
    let answer: Answer
    /// Whether the answer belongs to its key: the head may have moved meanwhile.
    let isOfKey: Bool
    /// Whether the body is kept under another key, too.
    var isKeptElsewhere = false
  }

  /// A maker whose turn it is does not wait for one that gives up when its readings cost much.
  private struct Making: Hashable {
    let key: Key
    let isAdmitted: Bool
  }

  private struct Entry {
    let answer: Answer
    let byteCount: Int
    var lastUse: Int
  }

  /// An answer that others hold.
  private struct Shared {
    /// Without its body.
    var answer: Answer
    weak var body: BufferedBody?

    init(_ answer: Answer, _ body: BufferedBody) {
      self.answer = answer
      self.answer.body = .empty
      self.body = body
    }
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var shared: [Key: Shared] = [:]
    var byteCount = 0
    var clock = 0
    var hits = 0

    /// Shares an answer for as long as others hold its body.
    mutating func share(_ answer: Answer, _ body: BufferedBody, for key: Key) {
      if shared.count >= AnswerCache.sharedCount { shared = shared.filter { $0.value.body != nil } }
      // So many addresses of one body: it is found by the key under which it is kept.
      if shared.count >= AnswerCache.sharedCount { shared = [:] }
      shared[key] = Shared(answer, body)
    }

    /// Drops the least recently used entries; many at once, so that sorting is rare.
    mutating func shrink(to byteLimit: Int) {
      for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
        if byteCount <= byteLimit { return }
        entries[key] = nil
        byteCount -= entry.byteCount
      }
    }
  }

  private let byteLimit: Int
  private let heldByteLimit: Int
  private let state = Mutex(State())
  private let making = SharedWork<Making, Answer>()
  /// The bytes of the answers that are kept or being sent.
  let held = ByteCounter()

  /// - Parameters:
  ///   - byteLimit: how many bytes are kept.
  ///   - heldByteLimit: how many bytes may be kept or being sent before another large answer is
  ///     refused.
  init(byteLimit: Int, heldByteLimit: Int = .max) {
    self.byteLimit = byteLimit
    self.heldByteLimit = heldByteLimit
  }

  var hits: Int { state.withLock { $0.hits } }
  var byteCount: Int { state.withLock { $0.byteCount } }
  /// How many callers wait for an answer that is being made.
  var waitingCount: Int { making.callerCount }

  /// The answer for a key: kept, shared, or made.
  ///
  /// If the last request for an answer is cancelled while the answer is made, so is the making.
  ///
  /// - Parameter key: nil to make the answer again for each request.
  /// - Throws: `Problem` of type `busy` if too many bytes are being sent; the errors of `make`.
  func answer(
    for key: Key?, or make: @escaping @Sendable () async throws -> Made
  ) async throws -> Answer {
    guard let key else { return try admit(await make().answer) }
    if let answer = keptAnswer(for: key) { return answer }
    let work = Making(key: key, isAdmitted: LargeAnswerLimiter.isAdmitted)
    return try await making.value(for: work) { [self] in
      // Another maker may have kept it, and ended, after it was looked for.
      if let answer = keptAnswer(for: key) { return answer }
      let made = try await make()
      let answer = try admit(made.answer)
      if made.isOfKey { keep(answer, for: key, isElsewhere: made.isKeptElsewhere) }
      return answer
    }
  }

  /// The answer for a key, if it need not be made.
  func keptAnswer(for key: Key?) -> Answer? {
    guard let key else { return nil }
    return state.withLock { state in
      if let index = state.entries.index(forKey: key) {
        state.clock += 1
        state.hits += 1
        state.entries.values[index].lastUse = state.clock
        return state.entries.values[index].answer
      }
      guard let shared = state.shared[key], let body = shared.body else { return nil }
      state.hits += 1
      var answer = shared.answer
      answer.body = .buffered(body)
      return answer
    }
  }

  /// Counts a large answer, and refuses it if there is no room. The first answer always has room.
  private func admit(_ answer: Answer) throws(Problem) -> Answer {
    guard case .buffered(let body) = answer.body, body.byteCount >= Self.leastCountedByteCount
    else {
      return answer
    }
    if body.isCounted { return answer }
    try checkRoom()
    body.count(on: held)
    return answer
  }

  /// - Throws: `Problem` of type `busy` if there is no room for another large answer.
  func checkRoom() throws(Problem) {
    guard hasRoom else {
      throw .busy("too many large answers are on their way to others; try again")
    }
  }

  var hasRoom: Bool { held.count <= heldByteLimit }

  /// Keeps an answer; one larger than a quarter of the limit is only shared.
  private func keep(_ answer: Answer, for key: Key, isElsewhere: Bool) {
    guard case .buffered(let body) = answer.body else { return }
    // The compressed bytes are counted as if they existed, and were as many.
    let byteCount = Self.entryByteCount + key.request.utf8.count + 2 * body.byteCount
    state.withLock { state in
      guard byteCount <= byteLimit / 4, !isElsewhere else {
        return state.share(answer, body, for: key)
      }
      state.clock += 1
      let entry = Entry(answer: answer, byteCount: byteCount, lastUse: state.clock)
      state.byteCount += byteCount - (state.entries.updateValue(entry, forKey: key)?.byteCount ?? 0)
      if state.byteCount > byteLimit { state.shrink(to: byteLimit * 3 / 4) }
    }
  }

  private static let entryByteCount = 512
  /// How many answers are shared without being kept.
  private static let sharedCount = 1024
  /// Smaller bodies fit into the buffers of the sockets.
  private static let leastCountedByteCount = 1 << 16
}
