import HTTPTypes
import Hummingbird
import ListDocuments

/// Takes every request: refuses those that no route may see, and lets pages of allowed origins read
/// everything.
struct ServerResponder<Inner: HTTPResponder<ServerContext>>: HTTPResponder {
  let router: Inner
  let server: SyncServer
  let hosts: HostNames
  let origins: AllowedOrigins?

  func respond(to request: Request, context: ServerContext) async throws -> Response {
    do {
      try check(request, context)
    } catch {
      return await refuse(request, context, error)
    }
    guard let origins else { return try await answer(request, context) }
    return try await origins.handle(request, context: context, next: answer)
  }

  /// What holds for every address.
  private func check(_ request: Request, _ context: ServerContext) throws(Problem) {
    try hosts.check(request, at: context.connection?.localAddress)
    if let coding = request.headers[.transferEncoding], coding.lowercased() != "chunked" {
      // The bytes would have to be unpacked before anything could be made of them.
      throw Problem(
        kind: .notImplemented,
        detail: "the transfer coding '\(coding.shortened)' is not read here; send chunked alone",
        headers: [.connection: "close"])
    }
  }

  private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
    if request.uri.path.hasOneSpelling {
      let response = try await router.respond(to: request.withKnownMethod, context: context)
      guard context.endpointPath == Self.noEndpoint else { return response }
    }
    let problem = Problem(
      kind: .notFound, detail: "there is nothing at this address; see /openapi.json")
    return await refuse(request, context, problem)
  }

  private func refuse(
    _ request: Request, _ context: ServerContext, _ problem: Problem
  ) async -> Response {
    let exchange = Exchange(server: server, request: request, context: context, route: "none")
    return await exchange.respond { throw problem }
  }

  /// What the router calls it.
  private static var noEndpoint: String { "NotFound" }
}

extension String {
  /// Whether a path has no empty part: the router passes over them, which would give things a
  /// second address.
  fileprivate var hasOneSpelling: Bool { !contains("//") && (self == "/" || !hasSuffix("/")) }
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
