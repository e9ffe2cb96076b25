import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncServer
import Synchronization

/// Calls a server's responder without a connection.
struct InProcessClient<Responder: HTTPResponder<ServerContext>>: ServerClient {
  let responder: Responder
  let logger: Logger

  struct UnusableRequest: Error {}

  func send(_ request: ClientRequest) async throws -> ClientAnswer {
    guard let method = HTTPRequest.Method(request.method) else { throw UnusableRequest() }
    let host = request.headers.first { $0.name == "Host" }?.value ?? "localhost"
    var head = HTTPRequest(method: method, scheme: "http", authority: host, path: request.target)
    for header in request.headers where header.name != "Host" {
      guard let name = HTTPField.Name(header.name) else { throw UnusableRequest() }
      head.headerFields.append(HTTPField(name: name, value: header.value))
    }
    if !request.body.isEmpty, head.headerFields[.contentLength] == nil {
      head.headerFields[.contentLength] = "\(request.body.count)"
    }
    let response = try await responder.respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body))),
      context: ServerContext(logger: logger))
    let collector = Collector()
    try await response.body.write(collector)
    return ClientAnswer(
      status: response.status.code,
      headers: response.headers.map { Header($0.name.rawName, $0.value) }, body: collector.bytes)
  }

  /// Collects the bytes of a response.
  private final class Collector: ResponseBodyWriter, Sendable {
    private let state = Mutex<(bytes: [UInt8], isFinished: Bool)>(([], false))

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    func write(_ buffer: ByteBuffer) async throws {
      state.withLock { state in
        precondition(!state.isFinished, "a finished body is not written to")
        state.bytes += buffer.readableBytesView
      }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {
      state.withLock { $0.isFinished = true }
    }
  }
}
