import ListStore

/// The rule for answers that may be long.
///
/// An answer is begun at once. If its readings turn out to cost much, it is made again, when it is
/// its turn: a few at a time, while there is memory for it, once for all equal requests, and only
/// as long as one of their clients waits. So other requests find a free processor and a free
/// connection to the store, however many long answers are wanted.
struct LongAnswers: Sendable {
  /// A plan that counts items or changes has an answer of fewer made at once: it takes about a
  /// millisecond.
  static let leastItemCount = 1_000
  /// What the readings of an answer may cost before its turn: some milliseconds. Short answers wait
  /// behind as many as others begin together. An answer of ``leastItemCount`` costs less, unless
  /// its items are large, or it needs many blocks of the log.
  static let leastCost = 4_096
  /// An engine has four connections that read, or more.
  private static let mostTurns = 3

  /// Whether the present task makes an answer whose turn it is.
  @TaskLocal static var isInTurn = false

  private let cache: AnswerCache
  private let leastCost: Int
  private let turns: Turns
  private let shared = SharedWork<AnswerCache.Key, Answer>()
  private let codings = SharedWork<ObjectIdentifier, Void>()

  /// - Parameter leastCost: what readings before a turn may cost.
  init(cache: AnswerCache, coreCount: Int, leastCost: Int = LongAnswers.leastCost) {
    self.cache = cache
    self.leastCost = leastCost
    turns = Turns(count: min(max(1, coreCount / 2), Self.mostTurns))
  }

  /// How many makers wait for their turn.
  var waitingCount: Int { turns.waitingCount }

  /// Makes the answer of a call by the rule.
  ///
  /// - Parameter key: the key of requests that share the answer; nil to make it for this one alone.
  /// - Throws: `ClientHasGone`; as ``make(_:)``.
  func answer(
    _ call: Call, for key: AnswerCache.Key? = nil,
    _ make: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    if let answer = try await atOnce(make) { return answer }
    return try await call.whileClientWaits {
      guard let key else { return try await self.make(make) }
      return try await shared.value(for: key) { try await self.make(make) }
    }
  }

  /// Runs a body unless its readings cost too much: then returns nil.
  func atOnce<Result>(_ body: () async throws -> Result) async throws -> Result? {
    do {
      return try await ReadingLimit.$current.withValue(ReadingLimit(leastCost), operation: body)
    } catch is ReadingLimit.Exceeded {
      return nil
    }
  }

  /// Makes an answer when it is its turn.
  ///
  /// - Throws: `Problem` of type `busy` if too many bytes are being sent; `CancellationError` if
  ///   the task is cancelled before its turn; what the body throws.
  func make<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await inTurn {
      try cache.checkRoom()
      return try await body()
    }
  }

  /// Makes the next piece of an answer of which a part was sent already, so that it cannot be
  /// refused any more: it waits until there is room.
  func makePiece<Result>(_ body: () async throws -> Result) async throws -> Result {
    while !cache.hasRoom { try await Task.sleep(for: .milliseconds(100)) }
    return try await inTurn(body)
  }

  private func inTurn<Result>(_ body: () async throws -> Result) async throws -> Result {
    if Self.isInTurn { return try await body() }
    return try await turns.run {
      try await Self.$isInTurn.withValue(true) {
        try await ReadingLimit.$current.withValue(nil, operation: body)
      }
    }
  }

  /// Codes a body, once for all who need it.
  func code(_ body: HeldBody) async throws {
    try await codings.value(for: ObjectIdentifier(body)) {
      try await turns.run { try await LongWork.compute { try body.code($0) } }
    }
  }
}
