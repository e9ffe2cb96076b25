import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SyncClient

/// Requests over async-http-client: http and https, HTTP/1.1, gzip if the server has it.
///
/// It caches nothing, keeps no cookies and follows no redirections, so that a token goes only to
/// the server that it is for. It reads a body as fast as it uncompresses it, so the byte limit
/// bounds memory.
public struct HTTPTransport: ReplicaTransport, FileTransport {
  private let address: ServerAddress
  private let options: TransportOptions

  public init(_ address: ServerAddress, options: TransportOptions = TransportOptions()) {
    self.address = address
    self.options = options
  }

  /// The client whose connections all transports of the process share. It is never shut down.
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
    try await exchange(
      request.target, request.method, request.headers, request.body, request.waitSeconds)
  }

  public func get(
    _ target: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    try await exchange(target, "GET", headers, nil, waitSeconds)
  }

  private func exchange(
    _ target: String, _ method: String, _ headers: [(name: String, value: String)],
    _ body: [UInt8]?, _ waitSeconds: Int
  ) async throws -> ReplicaResponse {
    var message = HTTPClientRequest(url: try address.url(target).absoluteString)
    message.method = HTTPMethod(rawValue: method)
    if let body { message.body = .bytes(body) }
    for header in try options.authorized(headers) {
      message.headers.add(name: header.name, value: header.value)
    }
    message.headers.add(name: "Accept-Encoding", value: "gzip")
    let (sent, byteLimit) = (message, options.byteLimit)
    let limits = ExchangeLimits(
      idleSeconds: options.idleSeconds, totalSeconds: options.totalSeconds,
      waitSeconds: Double(waitSeconds))
    return try await limits.enforce {
      do {
        return try await Self.exchange(sent, limits, byteLimit)
      } catch let error where !(error is ReplicaError || error is Unavailability) {
        throw Unavailability(transport: error)
      }
    }
  }

  private static func exchange(
    _ request: HTTPClientRequest, _ limits: ExchangeLimits, _ byteLimit: Int
  ) async throws -> ReplicaResponse {
    // The client's own deadline would end with the response head.
    let response = try await client.execute(request, deadline: .distantFuture)
    limits.recordProgress()
    return ReplicaResponse(
      status: Int(response.status.code),
      headers: Dictionary(
        response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }),
      body: try await body(of: response, limits, byteLimit))
  }

  /// The body of an answer; empty for a problem document that is too long.
  private static func body(
    of response: HTTPClientResponse, _ limits: ExchangeLimits, _ byteLimit: Int
  ) async throws -> [UInt8] {
    let isProblem = response.status.code >= 300
    var body = try ReceivedBody(
      coding: response.headers["content-encoding"].joined(separator: ","),
      byteLimit: isProblem ? min(byteLimit, TransportOptions.problemByteLimit) : byteLimit)
    do {
      for try await chunk in response.body {
        limits.recordProgress()
        try body.append(Array(chunk.readableBytesView))
      }
    } catch ReplicaError.answerTooLong where isProblem {
      return []
    }
    // A cancelled body looks like a complete one.
    try Task.checkCancellation()
    return try body.finish()
  }
}
