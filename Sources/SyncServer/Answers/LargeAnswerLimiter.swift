import ListStore

/// Limits how many large answers are made at a time.
///
/// Every answer is begun at once, with a limit for the cost of its readings. An answer that exceeds
/// the limit is made again when it is admitted. A few answers are admitted at a time, while there
/// is memory for them. An answer is made once for all equal requests, and only as long as one of
/// their clients waits. So other requests always find a free processor, and a free connection to
/// the store.
struct LargeAnswerLimiter: Sendable {
  /// The number of items or changes from which a planned answer waits to be admitted. A smaller
  /// answer takes about a millisecond.
  static let leastItemCount = 1_000
  /// The cost of readings from which an answer waits to be admitted: some milliseconds. An answer
  /// of ``leastItemCount`` costs less, unless its items are large, or it needs many blocks of the
  /// log.
  static let leastCost = 4_096
  /// An engine has four connections that read, or more.
  private static let mostAtOnce = 3

  /// Whether the present task makes an answer that was admitted.
  @TaskLocal static var isAdmitted = false

  private let cache: AnswerCache
  private let leastCost: Int
  private let semaphore: AsyncSemaphore
  private let shared = SharedWork<AnswerCache.Key, Answer>()
  private let compressions = SharedWork<ObjectIdentifier, Void>()

  /// - Parameter leastCost: the cost of readings from which an answer is a large one.
  init(cache: AnswerCache, coreCount: Int, leastCost: Int = LargeAnswerLimiter.leastCost) {
    self.cache = cache
    self.leastCost = leastCost
    semaphore = AsyncSemaphore(count: min(max(1, coreCount / 2), Self.mostAtOnce))
  }

  /// How many answers wait to be admitted.
  var waitingCount: Int { semaphore.waitingCount }

  /// Makes the answer of a call: at once, or when it is admitted.
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

  /// Makes an answer when it is admitted.
  ///
  /// - Throws: `Problem` of type `busy` if too many bytes are being sent; `CancellationError` if
  ///   the task is cancelled while it waits; what the body throws.
  func make<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await admitted {
      try cache.checkRoom()
      return try await body()
    }
  }

  /// Makes the next piece of an answer when there is room. The answer cannot be refused any more,
  /// since a part of it was sent.
  func makePiece<Result>(_ body: () async throws -> Result) async throws -> Result {
    while !cache.hasRoom { try await Task.sleep(for: .milliseconds(100)) }
    return try await admitted(body)
  }

  private func admitted<Result>(_ body: () async throws -> Result) async throws -> Result {
    if Self.isAdmitted { return try await body() }
    return try await semaphore.run {
      try await Self.$isAdmitted.withValue(true) {
        try await ReadingLimit.$current.withValue(nil, operation: body)
      }
    }
  }

  /// Compresses a body, once for all who need it.
  func compress(_ body: BufferedBody) async throws {
    try await compressions.value(for: ObjectIdentifier(body)) {
      try await semaphore.run { try await LongWork.compute { _ = try body.compressed($0) } }
    }
  }
}
