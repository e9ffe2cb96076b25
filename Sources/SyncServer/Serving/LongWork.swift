import Dispatch
import ListStore
import NIOCore

/// Runs long computations. Few run at a time, so that short requests find a free processor. They
/// run outside of the threads that all requests share.
struct LongWork: Sendable {
  /// Shorter bodies are read at once: it takes about a millisecond.
  static let leastByteCount = 1 << 17

  private let semaphore: AsyncSemaphore

  init(coreCount: Int) { semaphore = AsyncSemaphore(count: max(1, coreCount / 2)) }

  /// Runs a body when fewer than the allowed number run.
  ///
  /// - Throws: `CancellationError` if the task is cancelled while it waits; what the body throws.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await semaphore.run(body)
  }

  /// Computes on a thread of its own.
  ///
  /// - Parameter body: should check often whether it was cancelled.
  /// - Throws: what the body throws; `CancellationError` if the task was cancelled.
  static func compute<Result: Sendable>(
    _ body: @escaping @Sendable (_ checkCancellation: () throws -> Void) throws -> Result
  ) async throws -> Result {
    let result = try await CancellationFlag.watching { flag in
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Swift.Result { try body(flag.check) }) }
      }
    }
    try Task.checkCancellation()
    return result
  }

  private static let queue = DispatchQueue(label: "listsync.long-work", attributes: .concurrent)
}
