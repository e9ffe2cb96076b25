import HTTPTypes
import Hummingbird

/// What no route takes becomes a problem as well, and pages of allowed origins may read everything.
struct ServerResponder<Inner: HTTPResponder<ServerContext>>: HTTPResponder {
  let router: Inner
  let server: SyncServer
  let origins: AllowedOrigins?

  func respond(to request: Request, context: ServerContext) async throws -> Response {
    guard let origins else { return try await answer(request, context) }
    return try await origins.handle(request, context: context, next: answer)
  }

  private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
    // The router passes over empty parts, which would give things a second address.
    if !request.uri.path.contains("//") {
      let response = try await router.respond(to: request.withKnownMethod, context: context)
      guard context.endpointPath == Self.noEndpoint else { return response }
    }
    let exchange = Exchange(server: server, request: request, context: context, route: "none")
    return await exchange.respond {
      throw Problem(kind: .notFound, detail: "there is nothing at this address; see /openapi.json")
    }
  }

  /// What the router calls it.
  private static var noEndpoint: String { "NotFound" }
}

extension Request {
  /// The request with a method that the router knows and no route has, where it has one that the
  /// router does not know: an address that is there is not to be said to be none.
  fileprivate var withKnownMethod: Request {
    if Endpoint.methods.contains(method) { return self }
    var head = head
    head.method = .trace
    return Request(head: head, body: body)
  }
}
