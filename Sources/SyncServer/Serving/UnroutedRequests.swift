import HTTPTypes
import Hummingbird
import ListDocuments

/// Answers the requests that match no route: OPTIONS, methods that a resource lacks, and addresses
/// of no resource.
struct UnroutedRequests: RouterMiddleware {
  private let server: SyncServer
  /// Each path with the value of its header `Allow`.
  private let resources: [(path: RouterPath, methods: String)]

  init(_ routes: [Route], of server: SyncServer) {
    self.server = server
    resources = Dictionary(grouping: routes, by: \.path).map { path, routes in
      let methods = routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
      return (RouterPath(path), (methods + ["OPTIONS"]).sorted().joined(separator: ", "))
    }
  }

  func handle(
    _ request: Request, context: ServerContext,
    next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path
    // The router skips empty segments, so a resource would have several addresses.
    let hasOneSpelling = !path.contains("//") && (path == "/" || !path.hasSuffix("/"))
    if hasOneSpelling, context.endpointPath != nil { return try await next(request, context) }
    let segments = path.split(separator: "/")
    guard hasOneSpelling,
      let resource = resources.first(where: { resource in
        resource.path.count == segments.count
          && zip(resource.path, segments).allSatisfy { $0 ~= $1 }
      })
    else {
      context.coreContext.endpointPath.value = nil
      throw Problem(kind: .notFound, detail: "there is nothing at this address; see /openapi.json")
    }
    context.coreContext.endpointPath.value = resource.path.description
    guard request.method == .options else {
      throw Problem(
        kind: .methodNotAllowed, detail: "the methods here are \(resource.methods)",
        headers: [.allow: resource.methods])
    }
    return Answer(status: .noContent, headers: [.allow: resource.methods], caching: .never)
      .response(to: request, isPublic: server.isPublic)
  }
}
