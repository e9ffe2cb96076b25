/// Sends requests to a server.
public protocol ReplicaTransport: Sendable {
  /// Sends a request once, and returns the whole response with any status.
  ///
  /// Gives up when its task is cancelled, and when the server takes too long beyond the wait that
  /// it was asked for.
  ///
  /// - Throws: `ReplicaError` for a permanent failure; `Unavailability` for a temporary one. Any
  ///   other error counts as a lost connection.
  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse
}
