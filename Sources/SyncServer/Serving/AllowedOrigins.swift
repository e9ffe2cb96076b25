import HTTPTypes
import Hummingbird
import NIOCore

/// Lets pages of some web origins ask (CORS); those of others get answers that their browser
/// withholds from them.
///
/// What may be kept by a cache says whom it was for, also where no page asked: else a cache would give
/// a page an answer that the page may not read.
///
/// - Source: the WHATWG Fetch standard, 3.2 CORS protocol.
struct AllowedOrigins: RouterMiddleware {
  typealias Context = ServerContext

  private let origins: Set<String>
  private let preflight: CORSMiddleware<ServerContext>

  /// Nil where no origin is allowed.
  init?(_ origins: Set<String>) {
    if origins.isEmpty { return nil }
    self.origins = origins
    preflight = CORSMiddleware(
      allowOrigin: origins.contains("*") ? .all : .originBased,
      allowHeaders: [
        .accept, .authorization, .contentType, .contentEncoding, .ifMatch, .ifNoneMatch, .requestID,
        .lastEventID,
      ],
      allowMethods: [.get, .head, .put, .patch, .options],
      maxAge: .hours(1))
  }

  func handle(
    _ request: Request, context: ServerContext,
    next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let allowed = allowed(request.headers[.origin])
    if request.method == .options, allowed != nil {
      return try await preflight.handle(request, context: context, next: next)
    }
    var response = try await next(request, context)
    if !origins.contains("*") { response.headers[values: .vary].append("Origin") }
    if let allowed {
      response.headers[.accessControlAllowOrigin] = allowed
      response.headers[.accessControlExposeHeaders] = Self.exposed
    }
    return response
  }

  /// What is said to be allowed where this origin asks, or nobody tells theirs.
  private func allowed(_ origin: String?) -> String? {
    if origins.contains("*") { return "*" }
    return origin.flatMap { origins.contains($0) ? $0 : nil }
  }

  private static let exposed = [
    HTTPField.Name.eTag, .contentLocation, .link, .location, .retryAfter, .requestID,
  ].map(\.canonicalName).joined(separator: ", ")
}
