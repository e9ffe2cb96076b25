/// Gets files from a web server.
public protocol FileTransport: Sendable {
  /// Asks for a file once, and returns the whole response with any status.
  ///
  /// - Parameters:
  ///   - path: below the address, with an initial slash, percent-encoded.
  ///   - headers: the header fields of the request.
  /// - Throws: as ``ReplicaTransport/send(_:)``.
  func get(
    _ path: String, headers: [(name: String, value: String)]
  ) async throws -> ReplicaResponse
}
