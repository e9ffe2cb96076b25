import ArgumentParser
import SyncService

extension HeadCache {
  /// Runs a body beside a cache that shows the heads of a store, until the program is interrupted.
  ///
  /// - Throws: `ExitCode` after an interruption; errors of the body and of the cache.
  static func follow(
    _ service: SyncService, _ body: @escaping @Sendable (HeadCache) async throws -> Void
  ) async throws {
    let headCache = HeadCache(service: service)
    try await headCache.refresh()
    let task = Task {
      try await withThrowingTaskGroup { group in
        group.addTask { try await headCache.run() }
        group.addTask { try await body(headCache) }
        try await group.next()
        group.cancelAll()
      }
    }
    let interruption = Interruption { task.cancel() }
    defer { interruption.cancel() }
    do {
      try await task.value
    } catch is CancellationError {
      throw ExitCode(Interruption.exitCode)
    }
  }
}
