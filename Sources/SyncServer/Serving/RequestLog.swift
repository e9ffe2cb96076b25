import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import ListStore
import Logging
import SyncService

/// Names, times, counts and logs each request, and answers errors with problems.
///
/// A log line has the route's address, not the request's, and no header. So ids, contents and
/// tokens cannot get into the log.
struct RequestLog: RouterMiddleware {
  let server: SyncServer

  func handle(
    _ request: Request, context: ServerContext,
    next: (Request, ServerContext) async throws -> Response
  ) async -> Response {
    let start = ContinuousClock.now
    var context = context
    context.requestID = Self.id(request.headers[.requestID]) ?? RequestID().description
    var response: Response
    do {
      response = try await next(request, context)
    } catch is ClientHasGone {
      response = Response(status: Self.clientHasGone)
    } catch {
      response = problem(error, request, context)
        .answer(requestID: context.requestID, from: request.uri.path)
        .response(to: request, isPublic: server.isPublic)
    }
    response.headers[.requestID] = context.requestID
    record(request.method, response.status, context, ContinuousClock.now - start)
    return response
  }

  /// Nobody receives this status: it is for the log and the counts. Other servers use it, too.
  private static let clientHasGone = HTTPResponse.Status(
    code: 499, reasonPhrase: "Client Closed Request")

  private func problem(
    _ error: any Error, _ request: Request, _ context: ServerContext
  ) -> Problem {
    guard var problem = Problem(error) else {
      write(.error, "unexpected error", context, ["error": "\(type(of: error))"])
      return Problem(kind: .internal, detail: "the server failed; its log names the request")
    }
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? Int.max
    // If much of a refused body may still come, a new connection is cheaper.
    if [.put, .patch].contains(request.method), length > CollectedBody.shortByteCount {
      problem.headers[.connection] = "close"
    }
    return problem
  }

  private func record(
    _ method: HTTPRequest.Method, _ status: HTTPResponse.Status, _ context: ServerContext,
    _ elapsed: Duration
  ) {
    server.metrics.count(route: context.route, method: method, status: status, elapsed: elapsed)
    let isFault = status.code >= 500 && status != .notImplemented
    let isRead = method == .get || method == .head
    write(
      isFault ? .error : isRead ? .debug : .info, "request", context,
      [
        "method": "\(method.rawValue)", "status": .stringConvertible(status.code),
        "ms": .stringConvertible(Int(elapsed / .milliseconds(1))),
      ])
  }

  /// Logs why a stream ended early: its status was sent before, so the reader cannot tell.
  func reportCutOff(_ context: ServerContext, _ error: any Error) {
    // Any other error means that the reader closed the connection.
    let isOwn = error is ServiceError || error is StoreError || error is BundleError
    write(isOwn ? .error : .debug, "answer cut off", context, ["error": "\(type(of: error))"])
  }

  private func write(
    _ level: Logger.Level, _ message: Logger.Message, _ context: ServerContext,
    _ metadata: @autoclosure () -> Logger.Metadata
  ) {
    server.logger.log(
      level: level, message,
      metadata: metadata().merging(
        ["id": "\(context.requestID)", "route": "\(context.route)"]
      ) { $1 })
  }

  /// The caller's name for the request; nil if it is unfit for a log.
  private static func id(_ text: String?) -> String? {
    guard let text, (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0.isAlphanumeric || "-_".utf8.contains($0) })
    else { return nil }
    return text
  }
}
