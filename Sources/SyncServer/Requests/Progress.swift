import Synchronization

/// How much has come so far.
final class Progress: Sendable {
  private let total = Atomic<Int>(0)

  var count: Int { total.load(ordering: .relaxed) }

  func add(_ count: Int) { total.add(count, ordering: .relaxed) }
}

/// Runs a body that must end, or make progress, within each period of the limit. A slow and steady
/// sender is waited for, however long it takes.
///
/// - Parameter least: how much must be added to the progress within the limit.
/// - Throws: `Problem` of type `invalid-request` when it was not; what the body throws.
func withProgress<Result: Sendable>(
  of least: Int, within limit: Duration,
  _ body: @escaping @Sendable (Progress) async throws -> Result
) async throws -> Result {
  let progress = Progress()
  return try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await body(progress) }
    group.addTask {
      var before = 0
      while true {
        try await Task.sleep(for: limit)
        let now = progress.count
        guard now - before >= least else {
          throw Problem.invalid("neither the body nor \(least) bytes of it came within \(limit)")
        }
        before = now
      }
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}
