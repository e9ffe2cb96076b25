import Synchronization

/// Tells work on other threads that the task which waits for it was cancelled.
package final class CancellationFlag: Sendable {
  private let isSet = Atomic(false)

  /// - Throws: `CancellationError` if the task was cancelled.
  package func check() throws {
    if isSet.load(ordering: .relaxed) { throw CancellationError() }
  }

  /// Runs a body with the flag of the present task.
  package static func watching<Result>(
    _ body: (CancellationFlag) async throws -> Result
  ) async rethrows -> Result {
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await body(flag)
    } onCancel: {
      flag.isSet.store(true, ordering: .relaxed)
    }
  }
}
