/// Gets files from a web server, and other resources from a server.
public protocol FileTransport: Sendable {
  /// Asks for a file once, and returns the whole response with any status.
  ///
  /// - Parameters:
  ///   - path: below the address, with an initial slash, percent-encoded.
  ///   - headers: the header fields of the request.
  ///   - waitSeconds: the time for which the server may hold the request.
  /// - Throws: as ``ReplicaTransport/send(_:)``.
  func get(
    _ path: String, headers: [(name: String, value: String)], waitSeconds: Int
  ) async throws -> ReplicaResponse
}

extension FileTransport {
  /// Asks for a file, with no wait of the server.
  func get(
    _ path: String, headers: [(name: String, value: String)]
  ) async throws -> ReplicaResponse {
    try await get(path, headers: headers, waitSeconds: 0)
  }
}
