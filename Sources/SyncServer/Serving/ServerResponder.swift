import Hummingbird

/// What no route takes becomes a problem as well.
struct ServerResponder<Inner: HTTPResponder<ServerContext>>: HTTPResponder {
  let router: Inner
  let server: SyncServer

  func respond(to request: Request, context: ServerContext) async throws -> Response {
    // The router passes over empty parts, which would give things a second address.
    if !request.uri.path.contains("//") {
      let response = try await router.respond(to: request, context: context)
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
