import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SyncClient

/// Requests over async-http-client: http and https, HTTP/1.1, gzip where the server has it.
///
/// Nothing is cached, no cookies are kept, and a redirection is not followed: a token goes to the
/// server that it was given for, and nowhere else. The body is taken as fast as it is unpacked, so
/// that memory is bounded by the byte limit, however far the bytes unfold.
public struct HTTPTransport: ReplicaTransport {
  private let address: ServerAddress
  private let options: TransportOptions

  public init(_ address: ServerAddress, options: TransportOptions = TransportOptions()) {
    self.address = address
    self.options = options
  }

  /// One for the process, which is never shut down: connections are kept for all transports.
  private static let client: HTTPClient = {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: HTTPClient.Configuration.Timeout(connect: .seconds(connectSeconds)),
      decompression: .disabled)
    configuration.httpVersion = .http1Only
    // The caller decides whether to try again.
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  static let connectSeconds: Int64 = 10

  public func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    var message = HTTPClientRequest(url: try address.url(request.target).absoluteString)
    for header in try options.headers(of: request) {
      message.headers.add(name: header.name, value: header.value)
    }
    message.headers.add(name: "Accept-Encoding", value: "gzip")
    let (sent, byteLimit) = (message, options.byteLimit)
    let limits = ExchangeLimits(
      idleSeconds: options.idleSeconds, totalSeconds: options.totalSeconds,
      waitSeconds: Double(request.waitSeconds))
    return try await limits.enforce {
      do {
        return try await Self.exchange(sent, limits, byteLimit)
      } catch let error as ReplicaError {
        throw error
      } catch let error as Unavailability {
        throw error
      } catch {
        throw Unavailability(transport: error)
      }
    }
  }

  private static func exchange(
    _ request: HTTPClientRequest, _ limits: ExchangeLimits, _ byteLimit: Int
  ) async throws -> ReplicaResponse {
    // The limits watch the time: the deadline of the client ends with the response head.
    let response = try await client.execute(request, deadline: .distantFuture)
    limits.noteProgress()
    var body = try ReceivedBody(
      coding: response.headers["content-encoding"].joined(separator: ","), byteLimit: byteLimit)
    for try await chunk in response.body {
      limits.noteProgress()
      try body.take(Array(chunk.readableBytesView))
    }
    // A cancelled body looks like one that has ended.
    try Task.checkCancellation()
    return ReplicaResponse(
      status: Int(response.status.code),
      headers: Dictionary(
        response.headers.map { ($0.name.lowercased(), $0.value) },
        uniquingKeysWith: { first, _ in first }),
      body: try body.finish())
  }
}
