import HTTPTypes
import Hummingbird

/// Lets the pages of some web origins read the answers (CORS).
///
/// Every answer says that it depends on the origin, also if the request names none. Otherwise a
/// cache would give a page an answer that the page may not read. Hummingbird's own middleware adds
/// its headers only to requests that name an origin, and lists the exposed headers only in a
/// preflight answer. So only preflight requests use it.
///
/// - Source: the WHATWG Fetch standard, 3.2 CORS protocol.
struct AllowedOrigins: RouterMiddleware {
  private let origins: Set<String>
  private let preflight: CORSMiddleware<ServerContext>
  private let log: RequestLog

  /// Nil if no origin is allowed.
  ///
  /// - Parameter log: for preflight requests, which go no further.
  init?(_ origins: Set<String>, _ log: RequestLog) {
    if origins.isEmpty { return nil }
    self.origins = origins
    self.log = log
    preflight = CORSMiddleware(
      allowOrigin: origins.contains("*") ? .all : .originBased,
      allowHeaders: [
        .accept, .authorization, .contentType, .contentEncoding, .ifMatch, .ifNoneMatch, .requestID,
        .lastEventID,
      ],
      allowMethods: [.get, .head, .put, .patch, .delete, .options],
      maxAge: .hours(1))
  }

  func handle(
    _ request: Request, context: ServerContext,
    next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let isForAll = origins.contains("*")
    let allowed =
      isForAll ? "*" : request.headers[.origin].flatMap { origins.contains($0) ? $0 : nil }
    if request.method == .options, allowed != nil {
      return await log.handle(request, context: context) { request, context in
        try await preflight.handle(request, context: context, next: next)
      }
    }
    var response = try await next(request, context)
    if !isForAll { response.headers[values: .vary].append("Origin") }
    if let allowed {
      response.headers[.accessControlAllowOrigin] = allowed
      response.headers[.accessControlExposeHeaders] = Self.exposed
    }
    return response
  }

  private static let exposed = [
    HTTPField.Name.eTag, .contentLocation, .link, .listIDRule, .location, .retryAfter, .requestID,
  ].map(\.canonicalName).joined(separator: ", ")
}
