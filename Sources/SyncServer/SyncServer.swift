import Hummingbird
import ListModel
import Logging
import NIOCore
import SyncService

/// The lists of one store over HTTP: what the service answers, with the conditions, codings and
/// refusals of the protocol.
public struct SyncServer: Sendable {
  let service: SyncService
  /// The newest heads, and who may see them.
  let board: HeadBoard
  let settings: ServerSettings
  let logger: Logger
  let cache: AnswerCache
  let bodyMemory: BodyMemory
  /// Whose turn it is to read a long list.
  let longSnapshots: Turns
  let metrics: ServerMetrics

  /// - Parameters:
  ///   - board: of the same store; somebody must run it.
  ///   - metrics: where the server counts; `/metrics` shows it.
  public init(
    service: SyncService, board: HeadBoard, settings: ServerSettings = ServerSettings(),
    logger: Logger, metrics: ServerMetrics = ServerMetrics()
  ) {
    self.service = service
    self.board = board
    self.settings = settings
    self.logger = logger
    self.metrics = metrics
    longSnapshots = Turns(count: max(1, NIOCore.System.coreCount / 2))
    cache = AnswerCache(
      byteLimit: settings.cacheByteLimit, heldByteLimit: settings.heldByteLimit)
    bodyMemory = BodyMemory(
      byteLimit: max(settings.bodyByteLimit, settings.heldBodyByteLimit))
  }

  /// What answers requests: all that is in `openapi.json`, and whatever is added. Each connection
  /// that carries them must be one of ``ConnectionBounds/connections``.
  ///
  /// - Parameter addRoutes: called with the router before it is made, for a program that has routes
  ///   of its own beside these.
  public func responder(
    adding addRoutes: (Router<ServerContext>) -> Void = { _ in }
  ) -> some HTTPResponder<ServerContext> {
    let router = Router(context: ServerContext.self)
    for endpoint in Endpoint.all(of: self) {
      for method in Endpoint.methods {
        router.on(endpoint.routerPath, method: method) { request, context in
          await endpoint.respond(to: request, context: context)
        }
      }
    }
    addRoutes(router)
    return ServerResponder(
      router: router.buildResponder(), server: self, hosts: HostNames(settings.hostNames),
      origins: AllowedOrigins(settings.allowedOrigins))
  }

  /// Under what an answer may be kept; nil where it may not.
  func cacheKey(of list: ListName, _ request: String, _ isSettled: Bool) -> AnswerCache.Key? {
    guard isSettled, let summary = board.head(of: list), let head = summary.head.cursor else {
      return nil
    }
    return AnswerCache.Key(request: "\(list) \(request)", head: head, oldest: summary.oldest)
  }
}
