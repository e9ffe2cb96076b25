import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import ListStore
import Logging
import SyncService

/// One request and its response: counted, timed and logged, whatever comes of it.
///
/// The log has the route's address, not the request's, and no header: neither ids, nor contents,
/// nor tokens can end up in it.
struct Exchange: Sendable {
  let server: SyncServer
  let request: Request
  let context: ServerContext
  let route: String
  let requestID: String
  private let start = ContinuousClock.now

  init(server: SyncServer, request: Request, context: ServerContext, route: String) {
    self.server = server
    self.request = request
    self.context = context
    self.route = route
    // Not `context.id`, which takes for granted that the logger keeps what it is told.
    requestID = Self.id(request.headers[.requestID]) ?? RequestID().description
  }

  func respond(_ answer: () async throws -> Answer) async -> Response {
    var made: Answer
    do {
      made = try await answer()
    } catch {
      made = refusal(error)
    }
    made.headers[.requestID] = requestID
    if case .stream(let write) = made.body { made.body = .stream(watched(write)) }
    let response = made.response(to: request, isPublic: server.board.access.isEmpty)
    note(response.status)
    return response
  }

  /// A stream that breaks has said before that all is well: the reader finds it cut off, and only
  /// the log can tell why.
  private func watched(
    _ write: @escaping @Sendable (inout BodyWriter) async throws -> Void
  ) -> @Sendable (inout BodyWriter) async throws -> Void {
    { body in
      do {
        try await write(&body)
      } catch {
        // What is none of this package's is the connection's: the reader went away.
        let isOwn = error is ServiceError || error is StoreError || error is BundleError
        server.logger.log(
          level: isOwn ? .error : .debug, "answer cut off",
          metadata: ["id": "\(requestID)", "route": "\(route)", "error": "\(type(of: error))"])
        throw error
      }
    }
  }

  private func refusal(_ error: any Error) -> Answer {
    guard var problem = Problem(error) else {
      server.logger.error(
        "unexpected error",
        metadata: [
          "id": "\(requestID)", "route": "\(route)", "error": "\(type(of: error))",
        ])
      return Problem(kind: .internal, detail: "the server failed; its log names the request")
        .answer(requestID: requestID)
    }
    if isUpload { problem.headers[.connection] = "close" }
    return problem.answer(requestID: requestID)
  }

  /// Whether so much may still come of a refused request's body that it is better to begin anew.
  private var isUpload: Bool {
    guard request.method == .put || request.method == .patch else { return false }
    let length = request.headers[.contentLength].flatMap { Int($0) } ?? Int.max
    return length > CollectedBody.shortByteCount
  }

  private func note(_ status: HTTPResponse.Status) {
    let elapsed = ContinuousClock.now - start
    server.metrics.note(route: route, method: request.method, status: status, elapsed: elapsed)
    let isRead = request.method == .get || request.method == .head
    let isFault = status.code >= 500 && status != .notImplemented
    let level: Logger.Level = isFault ? .error : isRead ? .debug : .info
    server.logger.log(
      level: level, "request",
      metadata: [
        "id": "\(requestID)", "method": "\(request.method.rawValue)", "route": "\(route)",
        "status": "\(status.code)", "ms": "\(elapsed.milliseconds)",
      ])
  }

  /// What the caller names the request, where it is fit for a log.
  private static func id(_ text: String?) -> String? {
    guard let text, (1...64).contains(text.utf8.count),
      text.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      })
    else { return nil }
    return text
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
