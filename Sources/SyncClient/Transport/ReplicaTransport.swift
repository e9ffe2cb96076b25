/// Brings requests to the server and its responses back.
public protocol ReplicaTransport: Sendable {
  /// Sends a request, once, and gives back the whole response, whatever its status is.
  ///
  /// It gives up when its task is cancelled, and when the server takes longer than it is asked to
  /// wait and some time.
  ///
  /// - Throws: `ReplicaError` where trying again is in vain; `Unavailability` where it may help.
  ///   Any other error is taken for a lost connection, and the request is tried again.
  func send(_ request: ReplicaRequest) async throws -> ReplicaResponse
}
