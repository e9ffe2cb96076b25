/// Runs a body that must end in its time.
///
/// - Throws: `Problem` of type `invalid-request` when it does not; what the body throws.
func withTimeLimit<Result: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw Problem.invalid("the body did not come within \(limit)")
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}
