import NIOCore

/// The client of a request has closed its connection. Nobody receives an answer.
struct ClientHasGone: Error {}

extension Call {
  /// Whether the connection is open, or there is none because the request is answered in process.
  var isConnected: Bool { context.connection?.isActive ?? true }

  /// Makes a long answer, and cancels the making if the client goes meanwhile. An answer that is
  /// made in its turn is watched already, for all who share it.
  ///
  /// - Throws: `ClientHasGone`; what the closure throws.
  func whileClientWaits<Result: Sendable>(
    _ make: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let connection = context.connection, !LargeAnswerLimiter.isAdmitted else {
      return try await make()
    }
    let making = Task { try await make() }
    ClientWatch.begin(on: connection) { making.cancel() }
    defer { ClientWatch.end(on: connection) }
    do {
      return try await withTaskCancellationHandler {
        try await making.value
      } onCancel: {
        making.cancel()
      }
    } catch  where making.isCancelled && !Task.isCancelled {
      throw ClientHasGone()
    }
  }
}
