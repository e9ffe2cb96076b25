import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncServer
import SyncService

/// A server process, from its start to its end.
final class ServerProcess {
  private let headCache: HeadCache
  private let respond: (Request, ServerContext) async throws -> Response
  private let logger: Logger

  init(_ service: SyncService) {
    var logger = Logger(label: "campaign") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .critical
    // A connection gives each request this field.
    logger[metadataKey: "hb.request.id"] = "simulated"
    self.logger = logger
    headCache = HeadCache(service: service)
    let responder = SyncServer(service: service, headCache: headCache, logger: logger).responder()
    respond = { try await responder.respond(to: $0, context: $1) }
  }

  /// Makes the server notice new commits.
  func notice() async throws { try await headCache.refresh() }

  func answer(_ target: String, _ headers: [(name: String, value: String)]) async throws
    -> WireAnswer
  {
    var fields: HTTPFields = [.acceptEncoding: "gzip"]
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    let head = HTTPRequest(
      method: .get, scheme: "http", authority: "localhost", path: target, headerFields: fields)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    return try await WireAnswer(respond(request, ServerContext(logger: logger)))
  }
}
