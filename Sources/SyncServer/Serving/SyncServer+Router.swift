import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

extension SyncServer {
  /// The responder for everything in `openapi.json`. <doc:Routing> describes its middleware.
  ///
  /// Each connection that carries the requests must be one of ``ConnectionBounds/connections``.
  ///
  /// - Parameter addRoutes: adds the program's own routes. They serve the same hosts and origins,
  ///   but their requests are neither logged nor counted.
  public func responder(
    adding addRoutes: (Router<ServerContext>) -> Void = { _ in }
  ) -> some HTTPResponder<ServerContext> {
    let router = Router(context: ServerContext.self)
    let requestLog = RequestLog(server: self)
    // Middleware applies to the routes that are added after it.
    router.addMiddleware {
      RequestRules(hosts: HostNames(settings.hostNames), log: requestLog)
      if let origins = AllowedOrigins(settings.allowedOrigins, requestLog) { origins }
    }
    addRoutes(router)
    let routes = Routes(server: self).all
    router.addMiddleware {
      requestLog
      UnroutedRequests(routes, of: self)
    }
    for route in routes {
      // HEAD routes that Hummingbird generates would say that a stream has no bytes.
      for method in route.method == .get ? [.get, .head] : [route.method] {
        router.on(RouterPath(route.path), method: method) { request, context in
          try await respond(to: request, context, by: route)
        }
      }
    }
    return router.buildResponder()
  }

  private func respond(
    to request: Request, _ context: ServerContext, by route: Route
  ) async throws -> Response {
    if route.access != .open { try checkStoreIsInPlace() }
    let caller = try await caller(of: request, needing: route.access)
    let query = try QueryParameters(request.uri.query, known: route.parameters)
    let call = Call(request: request, context: context, query: query, caller: caller)
    try await check(call, for: route.access)
    var answer: Answer
    do {
      answer = try await makeAnswer(to: call, by: route)
    } catch {
      throw withState(of: call, error)
    }
    switch route.access {
    // A commit is reported even if the token was revoked meanwhile.
    case .open, .write: break
    case .anyone, .read:
      // Making and sending an answer takes time, so the token is checked again on the way.
      try checkStillAdmitted(caller)
      answer.admission = { () throws(Problem) in try checkStillAdmitted(caller) }
    }
    if case .stream(let write) = answer.body {
      answer.body = .stream { body in
        do {
          try await write(&body)
        } catch {
          RequestLog(server: self).reportCutOff(context, error)
          throw error
        }
      }
    }
    if let body = answer.bodyToCompress(for: request) {
      try await call.whileClientWaits { try await answerLimiter.compress(body) }
    }
    return answer.response(to: request, isPublic: isPublic)
  }
}

extension SyncServer {
  /// The answer of a route, made by the rule for the route's work.
  private func makeAnswer(to call: Call, by route: Route) async throws -> Answer {
    let make: @Sendable () async throws -> Answer = { try await route.answer(call) }
    switch route.work {
    case .bounded, .commit: return try await make()
    case .own: return try await answerLimiter.answer(call, make)
    case .shared: return try await answerLimiter.answer(call, for: sharedKey(of: call), make)
    }
  }

  /// The key that equal requests have at one state of a list; nil if an answer also depends on the
  /// list's tags, or on the time.
  private func sharedKey(of call: Call) throws -> AnswerCache.Key? {
    let named = ["since", "to", "at"].compactMap { call.query[$0] }
    let revisions = try named + [call.pathValue("revision")]
    let isSettled = revisions.allSatisfy { Revision($0)?.isSettled ?? true }
    return cacheKey(of: try call.listName(), call.request.uri.description, isSettled)
  }
}

/// Rules for every request, whatever its address.
struct RequestRules: RouterMiddleware {
  let hosts: HostNames
  let log: RequestLog

  func handle(
    _ request: Request, context: ServerContext,
    next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    do {
      try hosts.check(request, at: context.connection?.localAddress)
      if let coding = request.headers[.transferEncoding], coding.lowercased() != "chunked" {
        throw Problem(
          kind: .notImplemented,
          detail: "the transfer coding '\(coding.shortened)' is not supported; send chunked alone",
          headers: [.connection: "close"])
      }
    } catch {
      return await log.handle(request, context: context) { _, _ in throw error }
    }
    return try await next(request, context)
  }
}
