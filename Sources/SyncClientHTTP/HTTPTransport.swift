import Foundation
import SyncClient

/// Requests over the system's libcurl: http and https, HTTP/1.1, gzip if the server has it.
///
/// It caches nothing, keeps no cookies, follows no redirections and uses no proxies, so that a
/// token goes only to the server that it is for. All transports of a process share their
/// connections and one thread, which is started by the first request.
public struct HTTPTransport: ReplicaTransport, FileTransport {
  private let address: ServerAddress
  private let options: TransportOptions
  /// The file of the authorities that certificates are verified with; nil for those of the system.
  var authorities: String?

  public init(_ address: ServerAddress, options: TransportOptions = TransportOptions()) {
    self.address = address
    self.options = options
  }

  /// The time limit for finding the host, connecting, and TLS.
  static let connectSeconds = 10

  public func send(_ request: ReplicaRequest) async throws -> ReplicaResponse {
    try await exchange(
      request.target, request.headers, request.waitSeconds, request.method, request.body)
  }

  public func get(
    _ target: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse {
    try await exchange(target, headers, waitSeconds)
  }

  private func exchange(
    _ target: String, _ headers: [(name: String, value: String)], _ waitSeconds: Int,
    _ method: String = "GET", _ body: [UInt8]? = nil
  ) async throws -> ReplicaResponse {
    let limits = ExchangeLimits(
      idleSeconds: options.idleSeconds, totalSeconds: options.totalSeconds,
      waitSeconds: Double(waitSeconds))
    let request = TransferRequest(
      url: try address.url(target),
      headers: try options.authorized(headers) + [("Accept-Encoding", "gzip")],
      method: method, body: body, authorities: authorities)
    do {
      return try await TransferThread.shared.get()
        .perform(request, within: limits, byteLimit: options.byteLimit)
    } catch let error as LibCurl.Missing {
      throw ReplicaError.missingLibrary(reason: error.reason)
    }
  }
}
