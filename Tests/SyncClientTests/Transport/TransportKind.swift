import ListModel
import SyncClientHTTP
import TestSupport

@testable import SyncClient

/// The transports that this system has; each must pass the same tests.
enum TransportKind: CaseIterable {
  case http
  #if canImport(Darwin)
    case urlSession
  #endif

  func transport(
    to address: String, _ options: TransportOptions = TransportOptions()
  ) throws -> any ReplicaTransport {
    let address = try ServerAddress(address)
    switch self {
    case .http: return HTTPTransport(address, options: options)
    #if canImport(Darwin)
      case .urlSession: return URLSessionTransport(address, options: options)
    #endif
    }
  }

  /// A request that every server can answer.
  static let request = ReplicaRequest(
    number: 1, list: ModelServer.list, purpose: .catchUp,
    since: MachineFixture.server.history[1].cursor)

  func ask(
    _ server: LoopbackServer, _ options: TransportOptions = TransportOptions(idleSeconds: 20)
  ) async throws -> ReplicaResponse {
    try await transport(to: server.text, options).send(Self.request)
  }

  /// The reason why a server with this reply gives no answer; nil if it gives one.
  func failure(
    _ reply: [LoopbackServer.Step],
    _ options: TransportOptions = TransportOptions(idleSeconds: 20)
  ) async throws -> Unavailability? {
    let server = try LoopbackServer { _ in reply }
    do {
      _ = try await ask(server, options)
      return nil
    } catch let error as Unavailability {
      return error
    }
  }
}
