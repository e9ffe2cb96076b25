/// Admits the makers of long answers: a few at a time, and while there is memory for the answer.
///
/// So other requests find a free processor and a free connection to the store, however many long
/// answers are wanted. A maker whose task is cancelled gives up its place.
struct LongAnswers: Sendable {
  /// Answers of fewer items or changes are made at once: it takes about a millisecond.
  static let leastItemCount = 1_000
  /// An engine has four connections that read, or more.
  private static let mostTurns = 3

  private let cache: AnswerCache
  private let turns: Turns
  private let codings = SharedWork<ObjectIdentifier, Void>()

  init(cache: AnswerCache, coreCount: Int) {
    self.cache = cache
    turns = Turns(count: min(max(1, coreCount / 2), Self.mostTurns))
  }

  /// Makes an answer when it is its turn.
  ///
  /// - Throws: `Problem` of type `busy` if too many bytes are being sent; `CancellationError` if
  ///   the task is cancelled before its turn; what the body throws.
  func make<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await turns.run {
      try cache.checkRoom()
      return try await body()
    }
  }

  /// Makes the next piece of an answer of which a part was sent already, so that it cannot be
  /// refused any more: it waits until there is room.
  func makePiece<Result>(_ body: () async throws -> Result) async throws -> Result {
    while !cache.hasRoom { try await Task.sleep(for: .milliseconds(100)) }
    return try await turns.run(body)
  }

  /// Codes a body, once for all who need it.
  func code(_ body: HeldBody) async throws {
    try await codings.value(for: ObjectIdentifier(body)) {
      try await turns.run { try await LongWork.compute { try body.code($0) } }
    }
  }
}
