import HTTPTypes
import Hummingbird
import NIOCore

/// Lets pages of some web origins ask (CORS); those of others get answers that their browser
/// withholds from them.
struct AllowedOrigins: RouterMiddleware {
  typealias Context = ServerContext

  private let origins: Set<String>
  private let allowing: CORSMiddleware<ServerContext>

  init(_ origins: Set<String>) {
    self.origins = origins
    allowing = CORSMiddleware(
      allowOrigin: origins.contains("*") ? .all : .originBased,
      allowHeaders: [
        .accept, .authorization, .contentType, .contentEncoding, .ifMatch, .ifNoneMatch, .requestID,
        .lastEventID,
      ],
      allowMethods: [.get, .head, .put, .patch, .options],
      exposedHeaders: [
        HTTPField.Name.eTag, .contentLocation, .link, .location, .retryAfter, .requestID,
      ].map(\.canonicalName),
      maxAge: .hours(1))
  }

  func handle(
    _ request: Request, context: ServerContext,
    next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin] else { return try await next(request, context) }
    if origins.contains("*") || origins.contains(origin) {
      return try await allowing.handle(request, context: context, next: next)
    }
    var response = try await next(request, context)
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    return response
  }
}
