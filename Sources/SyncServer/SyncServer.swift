import ListModel
import Logging
import NIOCore
import SyncService

/// Serves the lists of one store over HTTP.
public struct SyncServer: Sendable {
  let service: SyncService
  /// The newest heads, and the callers' rights.
  let headCache: HeadCache
  let settings: ServerSettings
  let logger: Logger
  let cache: AnswerCache
  let bodyMemory: BodyMemory
  let answerLimiter: LargeAnswerLimiter
  /// Runs the commits of long bodies.
  let longBodies = LongWork(coreCount: NIOCore.System.coreCount)
  let metrics = ServerMetrics()

  /// The cache must show the heads of the same store, and the program must run it.
  public init(
    service: SyncService, headCache: HeadCache, settings: ServerSettings = ServerSettings(),
    logger: Logger
  ) {
    self.init(
      service: service, headCache: headCache, settings: settings, logger: logger,
      longAnswerCost: LargeAnswerLimiter.leastCost)
  }

  /// - Parameter longAnswerCost: the cost of readings from which an answer is a large one.
  init(
    service: SyncService, headCache: HeadCache, settings: ServerSettings, logger: Logger,
    longAnswerCost: Int
  ) {
    self.service = service
    self.headCache = headCache
    self.settings = settings
    self.logger = logger
    cache = AnswerCache(
      byteLimit: settings.cacheByteLimit, heldByteLimit: settings.heldByteLimit)
    answerLimiter = LargeAnswerLimiter(
      cache: cache, coreCount: NIOCore.System.coreCount, leastCost: longAnswerCost)
    bodyMemory = BodyMemory(
      byteLimit: max(settings.bodyByteLimit, settings.heldBodyByteLimit))
  }

  /// The key under which an answer may be kept; nil if it may not be kept.
  func cacheKey(of list: ListName, _ request: String, _ isSettled: Bool) -> AnswerCache.Key? {
    guard isSettled, let summary = headCache.head(of: list), let head = summary.head.cursor else {
      return nil
    }
    return AnswerCache.Key(request: "\(list) \(request)", head: head, oldest: summary.oldest)
  }
}
