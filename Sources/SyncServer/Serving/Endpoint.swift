import HTTPTypes
import Hummingbird
import ListDocuments
import ListModel
import SyncService

/// One address of the server, with what its methods do.
struct Endpoint: Sendable {
  /// Those that HTTP defines; others are not told apart from each other.
  static let methods: [HTTPRequest.Method] = [
    .get, .head, .put, .patch, .post, .delete, .options, .trace,
  ]

  let server: SyncServer
  /// As OpenAPI writes it: `/v1/lists/{list}`.
  let path: String
  let routes: [Route]
  /// The names in the path, in their order.
  private let names: [String]

  static func all(of server: SyncServer) -> [Endpoint] {
    var routes: [String: [Route]] = [:]
    for route in Routes(server: server).all { routes[route.path, default: []].append(route) }
    return routes.sorted { $0.key < $1.key }.map { path, routes in
      Endpoint(server: server, path: path, routes: routes)
    }
  }

  private init(server: SyncServer, path: String, routes: [Route]) {
    self.server = server
    self.path = path
    self.routes = routes
    names = path.split(separator: "/").filter { $0.hasPrefix("{") }
      .map { String($0.dropFirst().dropLast()) }
  }

  /// The path as the router writes it.
  var routerPath: RouterPath {
    RouterPath(
      path.split(separator: "/").map { part in
        part.hasPrefix("{") ? ":\(part.dropFirst().dropLast())" : String(part)
      }.joined(separator: "/"))
  }

  func respond(to request: Request, context: ServerContext) async -> Response {
    let exchange = Exchange(server: server, request: request, context: context, route: path)
    return await exchange.respond { try await answer(request, context, exchange.requestID) }
  }

  private func answer(
    _ request: Request, _ context: ServerContext, _ id: String
  ) async throws -> Answer {
    if request.method == .options {
      return Answer(status: .noContent, headers: [.allow: allowedMethods], caching: .never)
    }
    let route = try route(for: request.method)
    if case .open = route.access {} else { try server.checkStoreIsInPlace() }
    let caller = try server.caller(of: request, needing: route.access)
    var pathValues: [String: String] = [:]
    for name in names {
      guard let text = context.parameters[name[...]],
        let value = PercentEncoding.decode(text)
      else { throw Problem.invalid("the address is not percent-encoded UTF-8") }
      pathValues[name] = value
    }
    let call = Call(
      request: request, pathValues: pathValues,
      query: try Query(request.uri.query, known: route.parameters), caller: caller, id: id,
      connection: context.connection)
    try server.check(call, for: route.access)
    do {
      return try await checked(route.answer(call), of: route, for: caller)
    } catch {
      throw server.withState(of: call, error)
    }
  }

  /// An answer that is given only for as long as its caller is admitted: making and sending it
  /// takes time.
  private func checked(
    _ answer: Answer, of route: Route, for caller: Caller
  ) throws(Problem) -> Answer {
    switch route.access {
    // What was committed is told, whatever became of the token since.
    case .open, .write: return answer
    case .anyone, .read:
      try server.checkStillAdmitted(caller)
      var answer = answer
      answer.admission = { () throws(Problem) in try server.checkStillAdmitted(caller) }
      return answer
    }
  }

  private func route(for method: HTTPRequest.Method) throws(Problem) -> Route {
    let asked = method == .head ? .get : method
    if let route = routes.first(where: { $0.method == asked }) { return route }
    throw Problem(
      kind: .methodNotAllowed, detail: "the methods here are \(allowedMethods)",
      headers: [.allow: allowedMethods])
  }

  private var allowedMethods: String {
    var allowed = routes.map(\.method.rawValue) + ["OPTIONS"]
    if allowed.contains("GET") { allowed.append("HEAD") }
    return allowed.sorted().joined(separator: ", ")
  }
}
